//go:build !cgo || headless

package main

import (
	"fmt"
	"io"
)

// window: this build has none.
func window(_ []string, stderr io.Writer) int {
	fmt.Fprintln(stderr, "This build of Bridgekeeper has no window.\nInstall the package with the window, or use the command line: `bridgekeeper status`.")
	return 1
}

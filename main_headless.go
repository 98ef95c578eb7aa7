//go:build !cgo || headless

package main

import (
	"fmt"
	"io"
)

// hasWindow: this build can show none.
const hasWindow = false

// window: this build has none.
func window(_ []string, stderr io.Writer) int {
	fmt.Fprintln(stderr, "This build of Bridgekeeper has no window.\nInstall the package with the window, or use the command line: `bridgekeeper status`.")
	return 1
}

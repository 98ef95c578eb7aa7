//go:build unix

package misbehave

import (
	"os/signal"
	"syscall"
)

func ignoreSignals() {
	signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGPIPE)
}

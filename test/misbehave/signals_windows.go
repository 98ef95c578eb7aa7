package misbehave

import (
	"os"
	"os/signal"
)

func ignoreSignals() { signal.Ignore(os.Interrupt) }

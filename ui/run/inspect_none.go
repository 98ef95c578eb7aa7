//go:build cgo && !headless && !inspect

package run

// inspect is for tests alone: see inspect.go.
func (p *process) inspect() {}

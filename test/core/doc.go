// Package core holds the tests of the shipped binary as a whole: real
// processes, the real endpoint, the real command line. It has no code.
package core

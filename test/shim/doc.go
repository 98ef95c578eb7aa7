// Package shim holds the tests of the built shim beside the built core. It has no code.
package shim

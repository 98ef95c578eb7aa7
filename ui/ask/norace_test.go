//go:build !race

package ask

const raced = false

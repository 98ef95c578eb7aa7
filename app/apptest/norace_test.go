//go:build !race

package apptest

const raceBuild = false

// Package bytes holds the differential test: odd but legal messages are sent
// straight to a server and through the built binary, in each era, and what
// comes out is compared byte for byte outside the few spans that a gateway must
// rewrite. Tests only.
package bytes

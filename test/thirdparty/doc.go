// Package thirdparty tests the built binary with MCP servers and an MCP client
// that we did not write: four servers and the TypeScript SDK from npm. It holds
// tests only. They skip themselves where test/npm can't install the packages.
package thirdparty

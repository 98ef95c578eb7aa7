// Package thirdparty tests the built binary with MCP servers and an MCP client
// that we did not write: four servers and the TypeScript SDK from npm. It holds
// tests only.
//
// The packages are installed once, at pinned versions, into a cache outside the
// tree; without Node, or where npm can't be reached, the tests skip themselves
// and say so.
package thirdparty

// Package conformance runs the official MCP conformance suite against the built
// binary with servers behind it that speak the one era or the other: a host of
// any revision uses a server of any revision. It holds tests only; docs/conformance.md
// has the numbers and why a scenario can't pass.
//
// The suite tests one wire, the one that hosts see. What servers see is proved
// by answers that only come when their wire was spoken right, and by the byte
// tests of test/bytes.
package conformance

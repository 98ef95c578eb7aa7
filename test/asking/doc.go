// Package asking tells stories of calls that need a person, through the built
// binary: a host by the official SDK, the example servers, and a person who
// answers with the command line.
package asking

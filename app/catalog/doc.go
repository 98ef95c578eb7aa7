// Package catalog knows servers that can be added: those of a list that comes with
// us, which needs no net, and those of an MCP registry.
//
// It keeps what a registry said in a folder of ours and asks again at most hourly.
// It installs and starts nothing. The app calls it.
package catalog

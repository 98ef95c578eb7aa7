// Package translate turns what one era of MCP says into what the other reads:
// results, errors and (with the questions of servers) whole rounds. Every
// function is pure: bytes in, edits or bytes out. directory and httpd call it.
package translate

// Package stdio frames one child's stdin and stdout as lines: size-capped,
// junk-tolerant, bounded in memory on both sides.
//
// It owns the two pipe ends handed to it and knows nothing of JSON beyond the
// line end. The supervisor makes a Conn for every start; bridge/upstream reads
// and writes it through an interface of its own.
package stdio

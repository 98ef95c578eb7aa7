// Package archtest holds tests that read the source of the whole repository and
// keep its shape: which package may import which, one package comment each,
// sizes of files and functions, no sleeping in tests. It holds tests only and
// nothing imports it.
package archtest

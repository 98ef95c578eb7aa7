// Package policy decides which tool calls run, which are asked about and which
// don't run, and says why. It knows rules, presets, limits and loops of calls;
// it recognises a tool's definition again, shows how two of them differ and
// points out what is odd in one.
//
// All of it is pure, but for the Pins: the files that hold the definitions of
// tools as they were when a person trusted them. The package asks nobody, sends
// nothing and writes no rule. The app's gate calls Decide and the Meter for
// every call, the lists that hosts see are made with Pins.Look and Rules.Off, and
// the command line gets its explanations from Explain.
package policy

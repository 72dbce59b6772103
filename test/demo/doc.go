// Package demo is the live test of `reaperd demo`: that what it tells is what
// happens, that it notices when it is not, and that nothing is left of it wherever
// it is interrupted or killed. Each test lives in a PID namespace of its own
// (package farm), in which the demo makes another.
package demo

// Package cli is what reaperd adds to the library that reads its command line: arguments and
// times that say what they want, flags from variables (--log-level is REAPERD_LOG_LEVEL),
// errors in sentences with a hint, the names that other tools give to commands and flags,
// what a shell offers, and help that fits the terminal.
package cli

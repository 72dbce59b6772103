// Package cli is what reaperd adds to the library that reads its command line: arguments and
// times that say what they want, flags from variables (--log-level is REAPERD_LOG_LEVEL),
// errors in sentences with a hint, the names that other tools give to commands and flags,
// what a shell offers, help that fits the terminal, the man pages ([WriteManual]), and the
// [Terminal]: the streams of a command, what they can show, and a person to ask.
package cli

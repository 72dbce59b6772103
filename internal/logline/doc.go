// Package logline writes records of the log as lines that a person reads on a terminal:
//
//	11:33:59  playwright-mcp 69 is orphaned: due at 11:43:55 by rule
//	          orphaned-servers
//	11:34:02  warning: journal: no space left on device
//
// The records that a daemon writes most have a sentence each (sentences). Any other is its
// message, then the error or reason in it, then what else it has in brackets. The faults of a
// policy and a hint have lines of their own below. Times of the record's own day are without
// a date; a line with the date stands between two days. Logs for programs are those of
// package log/slog.
package logline

// Package logline writes records of the log as lines that a person reads on a terminal. The
// records that a daemon writes most have a sentence each (sentences); any other is its
// message, then its error, then the rest in brackets. Faults and hints have lines of their own.
package logline

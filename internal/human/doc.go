// Package human writes values for people. Every screen uses these forms and no others:
//
//	a duration, in a sentence or a table  2h 3m                 Span
//	a duration in a narrow column         2h                    Coarse
//	a duration to type or paste           2m30s                 Exact
//	a duration that was measured          120ms, 1.2s, 2m 30s   Took
//	the ages of several things            11h to 4d             Ages
//	a moment: exact, in a table           2026-11-26 09:40:00   Moment
//	the time between two moments          Thu 26 09:40–10:10    Period
//	a size                                49 MB                 Bytes
//	a count, and a count of things        1,475   2 copies      Number, Count
//	what a session holds                  3 servers and 1 container   Servers
//	a share of one core                   4.1%                  Percent
//	words in a sentence                   a, b and c            List
//	the beginning of a sentence           Two servers           Capital
//	an identity, as people type it        4711, 0123456789ab    Handle
//	words of a command to paste           'git*' fetch          Shell
//	a text that somebody else wrote       "a?[31m", in one line Safe, Line
//	any text, for terminals without UTF-8 ?                     ASCII
//
// Moment and Period write a time in its own location. [ParseDuration] and
// [ParseWhen] read what people type, and [Nearest] guesses what they meant.
package human

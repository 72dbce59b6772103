// Package human writes values for people: durations, sizes, moments, counts, and
// text of others so that a terminal cannot be steered by it. Every screen uses
// these forms and no others:
//
//	what                                  form                    function
//	a duration, in a sentence or a table  2h 3m                   Span
//	a duration in a narrow column         2h                      Coarse
//	a duration to type or paste           2m30s                   Exact
//	a duration that was measured          120ms, 1.2s, 2m 30s    Took
//	how old several things are            11h to 4d               Ages
//	an exact moment, in local time        2026-11-26 09:40:00     Moment
//	a moment in a table                   Thu 26 09:40            Day
//	from when to when                     Thu 26 09:40–10:10      Period
//	a size                                49 MB                   Bytes
//	a count                               1,475                   Number
//	a count of things                     2 copies                Count
//	a share of one core                   4.1%                    Percent
//	words in a sentence                   a, b and c              List
//	an identity, as it is typed           4711, 0123456789ab      Handle
//	text of others                        "a?[31m"                Safe
//	a reason that somebody gave           one line                Line
//	any text, without UTF-8               ?                       ASCII
//
// It reads what people type, too: [ParseDuration] and [ParseWhen].
//
// Moment, Day and Period write a time in the location it is given in: a caller
// says at.Local(), a replay the zone of its reader. `reaperd history --at` takes
// what Moment writes.
package human

// Package report turns values into text: the table of a scan, the plan and outcomes of a
// sweep, the explanation of a target, and the same as JSON or YAML. It is pure: it reads
// only its [Input] and [Options].
//
// The table answers a reader's questions, in this order:
//
//	1  what is wrong, and what would be done?   the first line
//	2  what is in use?                          a tree below the sessions
//	3  what would be stopped?                   by rule and cause, with the reason and the former owner
//	4  what is pending?                         for how long, and the command that would prove it
//	5  what was left alone, and why?            vetoes and protection
//	6  what do I type next?                     commands; then sources and their gaps
//
// Before acts the verb is "would stop", after them "stopped", with failures first. An
// unknown figure is left out or a dash, never zero.
//
// Other processes may choose hostile texts: arguments are redacted ([redact]), and
// control characters never reach the terminal. No line is wider than Options.Width,
// except in the wide table.
package report

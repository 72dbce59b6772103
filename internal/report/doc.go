// Package report turns values into text: the table of a scan, the plan and outcomes
// of a sweep, the explanation of a target, and the same as JSON or YAML. It is pure:
// it sees only its [Input] and [Options].
//
// The table is ordered by a reader's questions:
//
//	1  what is the matter, and what would be done?     the first line
//	2  what is in use?                                 a tree below the sessions
//	3  what would be stopped?                          by rule and cause, with the reason and who left it
//	4  what is pending?                                how long still, and the command that would prove it
//	5  what was not touched, and why?                  vetoes and protection
//	6  what do I type next?                            commands; then sources and their gaps
//
// Without outcomes the verb is "would stop", with them "stopped"; failures come
// first. An unknown figure is left out or a dash, never zero.
//
// Text of other processes is hostile: arguments are redacted ([redact]), and no
// control character reaches the terminal. No line is wider than Options.Width, except
// in the wide table.
package report

// Package report turns values into what a person or a program reads: the table
// of a scan, the plan and the outcomes of a sweep, the explanation of one
// target, and the same as JSON or YAML. It looks at nothing but its [Input] and
// [Options]: no host, no clock, no terminal.
//
// The table answers before it lists. Its order is the order of a reader's
// questions:
//
//   - what is the matter, and what would be done, in the first line;
//   - what is in use, as a tree below its sessions, because the fear is to lose it;
//   - what would be stopped, by rule: one cause, one group, the reason once, and
//     who left how many of them when;
//   - what is pending, for how long still, and the command that would prove it;
//   - what was not touched, and why;
//   - what to type next, literally; then the sources and their gaps, never silent.
//
// Tense tells the truth: without outcomes it is "would stop", with outcomes
// "stopped", and what failed is said first. What is unknown is left out or shown
// as a dash; it is never a zero.
//
// Text from other processes is hostile until proven otherwise: arguments are
// redacted ([redact]), and no control character reaches the terminal. No line
// is wider than Options.Width, except those of the wide table, which exists to
// show everything.
package report

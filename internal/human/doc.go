// Package human writes values for people: durations ([Span], [Coarse], [Exact], [Took]), ages,
// moments, sizes, counts, lists, and names and words that others wrote, made safe to print
// ([Safe], [Line], [Shell]). Every screen uses these forms and no others. [ParseDuration] and
// [ParseWhen] read what people type, and [Nearest] guesses what they meant.
package human

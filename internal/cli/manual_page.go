package cli

import (
	"iter"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The man page of each command is written from what its help says, as the
// source that man reads (man(7)). The page of the program itself, reaperd(1), is
// written by hand and lies in deploy/packages.
//
// Cobra's own writer of man pages is not used: its options have no hanging indent, its
// tables run beyond a terminal of 80 columns, and a help topic gets a synopsis of a
// command that cannot be run.

// pages yields the commands and help topics below root that have a page of their own.
func pages(root *cobra.Command) iter.Seq[*cobra.Command] {
	return func(yield func(*cobra.Command) bool) {
		for _, cmd := range EveryCommand(root) {
			if hasPage(root, cmd) && !yield(cmd) {
				return
			}
		}
	}
}

// hasPage reports whether a command has a page. The scripts of the shells are explained
// by their help, which the page of completion names.
func hasPage(root, cmd *cobra.Command) bool {
	return cmd != root && !cmd.Hidden && cmd.Name() != "help" && cmd.Parent().Name() != "completion"
}

// name is what man calls a command's page: reaperd-policy-check.
func name(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// page returns the page of a command that is below root. date is that of its sources.
func page(root, cmd *cobra.Command, date time.Time) string {
	var p roff
	p.title(name(cmd), date.UTC().Format(time.DateOnly), root.Name())
	p.section("NAME")
	p.line(escape(name(cmd)) + ` \- ` + escape(cmd.Short))
	if isTopic(cmd) {
		p.section("DESCRIPTION")
		p.description(cmd.Long)
		p.seeAlso(root.Name())
		return p.String()
	}
	p.section("SYNOPSIS")
	p.line(synopsis(cmd))
	p.section("DESCRIPTION")
	p.description(longOf(cmd))
	p.options("OPTIONS", cmd.NonInheritedFlags())
	p.options("GLOBAL OPTIONS", cmd.InheritedFlags())
	if cmd.Example != "" {
		p.section("EXAMPLES")
		p.verbatim(cmd.Example)
	}
	p.seeAlso(related(root, cmd)...)
	return p.String()
}

// synopsis is how a command is typed: of one that has commands, how each of those is.
func synopsis(cmd *cobra.Command) string {
	if !cmd.HasAvailableSubCommands() {
		return `\fB` + escape(cmd.UseLine()) + `\fR`
	}
	var lines []string
	for _, below := range cmd.Commands() {
		if below.IsAvailableCommand() {
			lines = append(lines, `\fB`+escape(below.UseLine())+`\fR`)
		}
	}
	return strings.Join(lines, "\n.br\n")
}

// isTopic reports whether there is only text to read.
func isTopic(cmd *cobra.Command) bool { return !cmd.Runnable() && !cmd.HasSubCommands() }

func longOf(cmd *cobra.Command) string {
	if cmd.Long == "" {
		return cmd.Short + "."
	}
	return cmd.Long
}

// related are the pages to read next: the program's, those of the subcommands and the
// topics.
func related(root, cmd *cobra.Command) []string {
	names := []string{root.Name()}
	for _, other := range append(cmd.Commands(), root.Commands()...) {
		if hasPage(root, other) && (other.Parent() == cmd || isTopic(other)) {
			names = append(names, name(other))
		}
	}
	return names
}

// options lists flags, each with its value, its text and its default.
func (p *roff) options(title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	p.section(title)
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Hidden || flag.Deprecated != "" {
			return
		}
		value, text := pflag.UnquoteUsage(flag)
		p.entry(usualIndent, flagTag(flag, value), text+defaultText(flag))
	})
}

// flagTag is a flag as it is written on a command line: -o, --output FORMAT.
func flagTag(flag *pflag.Flag, value string) string {
	tag := `\fB` + escape("--"+flag.Name) + `\fR`
	if flag.Shorthand != "" {
		tag = `\fB` + escape("-"+flag.Shorthand) + `\fR, ` + tag
	}
	if value != "" {
		tag += ` \fI` + escape(value) + `\fR`
	}
	return tag
}

// defaultText names the default, unless it is the zero value of the flag's type.
func defaultText(flag *pflag.Flag) string {
	switch flag.DefValue {
	case "", "false", "0", "0s", "[]":
		return ""
	}
	return " (default " + flag.DefValue + ")"
}

package cli

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The man pages are written, the program's and each command's, from what the help
// says, as the source that man reads (man(7)).
//
// Cobra's own writer of man pages is not used: its options have no hanging indent, its
// tables run beyond a terminal of 80 columns, and a help topic gets a synopsis of a
// command that cannot be run.

// pages are root, and the commands and help topics below it that have a page of their own.
func pages(root *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(EveryCommand(root), func(cmd *cobra.Command) bool { return !hasPage(root, cmd) })
}

// hasPage reports whether a command has a page. The scripts of the shells are explained
// by their help, which the page of completion names.
func hasPage(root, cmd *cobra.Command) bool {
	return cmd == root || !cmd.Hidden && cmd.Name() != "help" && cmd.Parent().Name() != "completion"
}

// name is what man calls a command's page: reaperd-policy-check.
func name(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// page returns the page of a command: that of root lists the others. date is that of the sources.
func page(root, cmd *cobra.Command, date time.Time) string {
	var p roff
	p.title(name(cmd), date.UTC().Format(time.DateOnly), root.Name())
	p.section("NAME")
	p.line(escape(name(cmd)) + ` \- ` + escape(cmd.Short))
	if !isTopic(cmd) {
		p.section("SYNOPSIS")
		p.line(synopsis(cmd))
	}
	p.section("DESCRIPTION")
	p.description(cmp.Or(cmd.Long, cmd.Short+"."))
	p.commands(cmd)
	if !isTopic(cmd) {
		p.options("OPTIONS", cmd.NonInheritedFlags())
		p.options("GLOBAL OPTIONS", cmd.InheritedFlags())
	}
	if cmd.Example != "" {
		p.section("EXAMPLES")
		p.verbatim(cmd.Example)
	}
	p.seeAlso(related(root, cmd)...)
	return p.String()
}

// synopsis is how a command is typed: of one that has commands, how each of those is.
func synopsis(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return `\fB` + cmd.Name() + `\fR \fICOMMAND\fR [\fIOPTION\fR...]`
	}
	var lines []string
	for _, typed := range slices.Concat(cmd.Commands(), []*cobra.Command{cmd}) {
		if typed.Runnable() && typed.IsAvailableCommand() {
			lines = append(lines, `\fB`+escape(typed.UseLine())+`\fR`)
		}
	}
	return strings.Join(lines, "\n.br\n")
}

// commands lists the commands of the program below the titles that its help has.
func (p *roff) commands(cmd *cobra.Command) {
	for _, group := range cmd.Groups() {
		p.section(strings.ToUpper(strings.TrimSuffix(group.Title, ":")))
		for _, listed := range cmd.Commands() {
			if listed.GroupID == group.ID {
				p.entry(usualIndent, `\fB`+escape(listed.Use)+`\fR`, listed.Short)
			}
		}
	}
}

// isTopic reports whether there is only text to read.
func isTopic(cmd *cobra.Command) bool { return !cmd.Runnable() && !cmd.HasSubCommands() }

// related are the pages to read next: the program's, those of the subcommands, and the topics.
func related(root, cmd *cobra.Command) (names []string) {
	for _, other := range slices.Concat([]*cobra.Command{root}, cmd.Commands(), root.Commands()) {
		isNext := other == root || other.Parent() == cmd || isTopic(other)
		if isNext && other != cmd && hasPage(root, other) && !slices.Contains(names, name(other)) {
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

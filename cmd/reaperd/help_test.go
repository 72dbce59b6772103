package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/human"
)

// TestEveryHelpFitsItsTerminal renders the help of every command and topic.
func TestEveryHelpFitsItsTerminal(t *testing.T) {
	for _, row := range []struct {
		name           string
		columns, width int
	}{
		{"no terminal", 0, 80}, {"80 columns", 80, 80}, {"a wide terminal", 240, 100},
	} {
		for _, cmd := range cli.EveryCommand(newRoot(&shared{})) {
			if cmd.Hidden || cmd.HasParent() && cmd.Parent().Name() == "completion" { // those are the library's
				continue
			}
			var out bytes.Buffer
			words := append([]string{"help"}, strings.Fields(cmd.CommandPath())[1:]...)
			if code := run(t.Context(), words, cli.Terminal{Out: &out, Err: &out, Columns: row.columns}); code != 0 || out.Len() == 0 {
				t.Errorf("%s: %s: code %d, %q", row.name, cmd.CommandPath(), code, out.String())
			}
			for line := range strings.Lines(out.String()) {
				if wide := human.Width(strings.TrimRight(strings.ReplaceAll(line, "\t", "        "), "\n")); wide > row.width {
					t.Errorf("%s: the help of %q has a line of %d columns: %s", row.name, cmd.CommandPath(), wide, line)
				}
			}
		}
	}
}

// TestNoFlagsAreAskedForBehindACommand: there they would be that command's.
func TestNoFlagsAreAskedForBehindACommand(t *testing.T) {
	for _, cmd := range cli.EveryCommand(newRoot(&shared{})) {
		if line := cmd.UseLine(); strings.Contains(line, "-- COMMAND") && !strings.HasSuffix(strings.TrimRight(line, "]"), "-- COMMAND [ARG…") {
			t.Errorf("the usage of %q has more behind it: %s", cmd.CommandPath(), line)
		}
	}
}

// TestAHelpNamesEveryFlag: nothing of a flag's text gets lost where it is broken.
func TestAHelpNamesEveryFlag(t *testing.T) {
	for _, cmd := range cli.EveryCommand(newRoot(&shared{})) {
		if cmd.Hidden || !cmd.Runnable() {
			continue
		}
		var out bytes.Buffer
		words := append([]string{"help"}, strings.Fields(cmd.CommandPath())[1:]...)
		run(t.Context(), words, cli.Terminal{Out: &out, Err: &out, Columns: 60})
		text := strings.Join(strings.Fields(out.String()), " ")
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			_, usage := pflag.UnquoteUsage(flag)
			if !flag.Hidden && !(strings.Contains(text, "--"+flag.Name) && strings.Contains(text, usage)) {
				t.Errorf("the help of %q has no %q of --%s: %s", cmd.CommandPath(), usage, flag.Name, text)
			}
		})
	}
}

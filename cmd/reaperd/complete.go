package main

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/pins"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/redact"
	"github.com/reaperd/reaperd/internal/scan"
	"github.com/reaperd/reaperd/internal/terminal"
	"github.com/reaperd/reaperd/internal/word"
)

// completeWithin bounds a completion that looks at the host: who presses Tab
// waits for it.
const completeWithin = 2 * time.Second

// words are what a shell offers, each with what it says beside it.
type words []cobra.Completion

// completer returns the words that a shell may offer next. typed are the arguments
// before the one that is being typed. Where something fails it returns none.
type completer func(cmd *cobra.Command, typed []string) words

// argumentWords are the completers of arguments, by command.
func (s *shared) argumentWords() map[string]completer {
	return map[string]completer{
		"scan":         s.names,
		"explain":      onlyOne(s.targets),
		"sweep":        s.targets,
		"pin":          s.targets,
		"unpin":        s.pinned,
		"pause":        onlyOne(fixed("15m", "1h", "2h", "8h", "1d")),
		"wrap":         clientNames,
		"policy check": nil, // a file
		"policy show":  nil,
		"snapshot":     nil,
	}
}

// flagWords are the completers of flags that take a value, by name.
func (s *shared) flagWords() map[string]completer {
	return map[string]completer{
		"color":      fixed("auto", "always", "never"),
		"log-level":  fixed("debug", "info", "warn", "error"),
		"log-format": fixed("text", "json"),
		"mode":       fixed("enforce", "report"),
		"output":     formats,
		"rule":       s.rules,
		"for":        fixed("1h", "8h", "1d", "7d"),
		"grace":      fixed("3s", "10s", "30s"),
		"idle-over":  fixed("1h", "4h", "8h", "1d"),
		"settle":     fixed("1s", "10s", "30s"),
		"since":      fixed("1h", "24h", "7d", "30d"),
		"until":      fixed("1h", "24h", "7d"),
		"sort":       fixed("tree", "memory", "cpu", "age", "state", "name"),
		"every":      fixed("2s", "5s", "30s"),
		"filter":     nothing,
		"at":         nothing,
		"listen":     fixed("127.0.0.1:9723"),
		"pid":        nothing,
		"name":       nothing,
		"reason":     nothing,
	}
}

// flagFiles are the endings of the files that a flag takes.
func flagFiles() map[string][]string {
	return map[string][]string{"policies": {"yaml", "yml"}, "snapshot": {"json", "gz"}, "journal": {"jsonl"}, "program": nil}
}

// asksForWords reports whether a command line is a shell's question for completions.
func asksForWords(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// completions gives every command what a shell offers for its arguments and flags.
func (s *shared) completions(root *cobra.Command) {
	arguments, flags, files := s.argumentWords(), s.flagWords(), flagFiles()
	for _, cmd := range everyCommand(root) {
		path := strings.TrimPrefix(cmd.CommandPath(), root.Name()+" ")
		if find, known := arguments[path]; known && find != nil {
			cmd.ValidArgsFunction = offer(find)
		} else if !known && len(cmd.ValidArgs) == 0 && !cmd.HasSubCommands() {
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
		for name, find := range flags {
			if cmd.Flag(name) != nil {
				_ = cmd.RegisterFlagCompletionFunc(name, offer(find)) // fails for a flag of the root's that has one already
			}
		}
		for name, endings := range files {
			if cmd.Flag(name) != nil {
				_ = cmd.MarkFlagFilename(name, endings...)
			}
		}
	}
}

func everyCommand(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, below := range cmd.Commands() {
		all = append(all, everyCommand(below)...)
	}
	return all
}

// offer makes a completer a function of cobra's. Words that stand on the command line
// already are not offered again; the shell itself drops those that do not begin with
// what is being typed.
func offer(find completer) cobra.CompletionFunc {
	return func(cmd *cobra.Command, typed []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var offered words
		for _, word := range find(cmd, typed) {
			text, _, _ := strings.Cut(word, "\t")
			if !slices.Contains(typed, text) {
				offered = append(offered, word)
			}
		}
		return offered, cobra.ShellCompDirectiveNoFileComp
	}
}

func fixed(texts ...string) completer {
	return func(*cobra.Command, []string) words { return texts }
}

func nothing(*cobra.Command, []string) words { return nil }

// onlyOne offers nothing behind the one argument that a command takes.
func onlyOne(find completer) completer {
	return func(cmd *cobra.Command, typed []string) words {
		if len(typed) > 0 {
			return nil
		}
		return find(cmd, typed)
	}
}

// formats are those that the flag's own text names.
func formats(cmd *cobra.Command, _ []string) words {
	_, list, _ := strings.Cut(cmd.Flag("output").Usage, "format: ")
	return strings.Fields(strings.NewReplacer(",", " ", " or ", " ").Replace(list))
}

// policyNamed is the policy that is being typed for, or the one that holds.
func policyNamed(cmd *cobra.Command) string {
	if flag := cmd.Flag(policyFlag); flag != nil {
		return flag.Value.String()
	}
	return ""
}

func (s *shared) rules(cmd *cobra.Command, _ []string) words {
	p, err := policyfile.Load(policyNamed(cmd))
	if err != nil {
		return nil
	}
	var all words
	for _, rule := range p.Rules {
		all = append(all, cobra.CompletionWithDesc(rule.Name, string(rule.Action)))
	}
	return all
}

func clientNames(*cobra.Command, []string) words { return discover.Clients() }

func (s *shared) pinned(*cobra.Command, []string) words {
	pinned, err := stateDir().Pins(scan.BootID(), time.Now())
	if err != nil {
		return nil
	}
	var all words
	for _, pin := range pinned {
		all = append(all, cobra.CompletionWithDesc(pins.Handle(&pin), human.Safe(pin.Name)))
	}
	return all
}

// targets are the servers and containers of this moment: by PID or container,
// with what they are, then by name.
func (s *shared) targets(cmd *cobra.Command, _ []string) words {
	seen := s.seen(cmd)
	var all words
	for _, t := range seen {
		said := shownName(t)
		if t.Owner.Name != "" {
			said += " of " + human.Safe(redact.Name(t.Owner.Name))
		}
		all = append(all, cobra.CompletionWithDesc(word.Of(t).Handle(), said))
	}
	return append(all, namesOf(seen)...)
}

func (s *shared) names(cmd *cobra.Command, _ []string) words { return namesOf(s.seen(cmd)) }

func shownName(t *graph.Target) string { return human.Safe(redact.Name(t.Name)) }

// namesOf are the distinct names, in the order of the targets.
func namesOf(targets []*graph.Target) words {
	counts := map[string]int{}
	for _, t := range targets {
		counts[shownName(t)]++
	}
	var all words
	for _, t := range targets {
		if name := shownName(t); counts[name] > 0 {
			all = append(all, cobra.CompletionWithDesc(name, human.Number(counts[name])+" of that name"))
			counts[name] = 0
		}
	}
	return all
}

// seen takes one quick look at this host.
func (s *shared) seen(cmd *cobra.Command) []*graph.Target {
	silent := &shared{Terminal: terminal.Terminal{Out: io.Discard, Err: io.Discard}, logLevel: "error", logFormat: "text"}
	ctx, end := context.WithTimeout(context.Background(), completeWithin)
	defer end()
	sight, err := (&lookFlags{shared: silent, policies: policyNamed(cmd)}).lookOnce(ctx)
	if err != nil {
		return nil
	}
	defer sight.Close()
	return slices.DeleteFunc(sight.View.Graph.Targets, func(t *graph.Target) bool { return t.Incidental || t.Name == "" })
}

package main

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/pins"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/redact"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/scan"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/word"
)

// completeWithin limits a completion that looks at the host: the person who pressed
// Tab waits for it.
const completeWithin = 2 * time.Second

// argumentWords returns the completers of arguments, by command.
func (s *shared) argumentWords() map[string]cli.Completer {
	return map[string]cli.Completer{
		"scan":         s.names,
		"explain":      cli.OnlyOne(s.targets),
		"help":         cli.HelpTopics,
		"sweep":        s.targets,
		"pin":          s.targets,
		"unpin":        s.pinned,
		"pause":        cli.OnlyOne(cli.Fixed("15m", "1h", "2h", "8h", "1d")),
		"wrap":         clientNames,
		"policy check": nil, // files: the shell completes them
		"policy show":  nil,
		"snapshot":     nil,
	}
}

// flagWords returns the completers of flags with a value, by name.
func (s *shared) flagWords() map[string]cli.Completer {
	return map[string]cli.Completer{
		"color":      cli.Fixed("auto", "always", "never"),
		"log-level":  cli.Fixed("debug", "info", "warn", "error"),
		"log-format": cli.Fixed("auto", "text", "json"),
		"mode":       cli.Fixed("enforce", "report"),
		"output":     cli.Formats,
		"rule":       s.rules,
		"for":        cli.Fixed("1h", "8h", "1d", "7d"),
		"grace":      cli.Fixed("3s", "10s", "30s"),
		"idle-over":  cli.Fixed("1h", "4h", "8h", "1d"),
		"settle":     cli.Fixed("1s", "10s", "30s"),
		"since":      cli.Fixed("1h", "24h", "7d", "30d"),
		"until":      cli.Fixed("1h", "24h", "7d"),
		"sort":       cli.Fixed("tree", "memory", "cpu", "age", "state", "name"),
		"every":      cli.Fixed("2s", "5s", "30s"),
		"filter":     cli.Nothing,
		"at":         cli.Nothing,
		"listen":     cli.Fixed("127.0.0.1:9723"),
		"pid":        cli.Nothing,
		"name":       s.configuredNames,
		"reason":     cli.Nothing,
	}
}

// flagFiles returns the file endings that each flag accepts.
func flagFiles() map[string][]string {
	return map[string][]string{"policies": {"yaml", "yml"}, "snapshot": {"json", "gz"}, "journal": {"jsonl"}, "program": nil}
}

// completions are the shell's completions for every command.
func (s *shared) completions() cli.Completions {
	return cli.Completions{Arguments: s.argumentWords(), Flags: s.flagWords(), Files: flagFiles()}
}

// policyNamed returns the policy file that the unfinished command line names; "" means
// the one in force.
func policyNamed(cmd *cobra.Command) string {
	if flag := cmd.Flag(policyFlag); flag != nil {
		return flag.Value.String()
	}
	return ""
}

func (s *shared) rules(cmd *cobra.Command, _ []string) cli.Words {
	p, err := policyfile.Load(policyNamed(cmd))
	if err != nil {
		return nil
	}
	var all cli.Words
	for _, rule := range p.Rules {
		all = append(all, cobra.CompletionWithDesc(rule.Name, string(rule.Action)))
	}
	return all
}

func clientNames(*cobra.Command, []string) cli.Words { return discover.Clients() }

func (s *shared) pinned(*cobra.Command, []string) cli.Words {
	pinned, err := stateDir().Pins(scan.BootID(), time.Now())
	if err != nil {
		return nil
	}
	var all cli.Words
	for _, pin := range pinned {
		all = append(all, cobra.CompletionWithDesc(pins.Handle(&pin), human.Safe(pin.Name)))
	}
	return all
}

// configuredNames completes with the names of servers in the clients' configurations.
func (s *shared) configuredNames(cmd *cobra.Command, _ []string) cli.Words {
	p, err := policyfile.Load(policyNamed(cmd))
	if err != nil {
		return nil
	}
	ctx, end := context.WithTimeout(context.Background(), completeWithin)
	defer end()
	h, err := (&lookFlags{shared: s.silent()}).configured(ctx, p)
	if err != nil {
		return nil
	}
	defer h.Close()
	set, _ := h.Configured()
	return namesIn(set)
}

// namesIn returns the distinct names of a set, each with the first client that has it.
func namesIn(set discover.Set) cli.Words {
	var all cli.Words
	offered := map[string]bool{}
	for _, server := range set.Servers() {
		if name := human.Safe(redact.Name(server.Name)); name != "" && !offered[name] {
			offered[name] = true
			all = append(all, cobra.CompletionWithDesc(name, "of "+server.Client))
		}
	}
	return all
}

// targets completes with the present servers and containers, by PID or container with a
// description, then with live sessions, then with names.
func (s *shared) targets(cmd *cobra.Command, _ []string) cli.Words {
	g := s.seen(cmd)
	if g == nil {
		return nil
	}
	seen := offeredOf(g)
	var all cli.Words
	for _, t := range seen {
		said := shownName(t)
		if t.Owner.Name != "" {
			said += " of " + human.Safe(redact.Name(t.Owner.Named().String()))
		}
		all = append(all, cobra.CompletionWithDesc(word.Of(t).Handle(), said))
	}
	return slices.Concat(all, sessionsOf(g, seen), namesOf(seen))
}

// sessionsOf returns the sessions that none of the offered targets stands for.
func sessionsOf(g *graph.Graph, offered []*graph.Target) cli.Words {
	var all cli.Words
	for _, session := range g.Sessions {
		id := session.Process.ID().String()
		if slices.ContainsFunc(offered, func(t *graph.Target) bool { return t.ID == id }) {
			continue
		}
		said := "session of " + human.Safe(redact.Name(session.Name))
		if folder := report.Folder(session.Process, state.Home()); folder != "" {
			said += " in " + folder
		}
		all = append(all, cobra.CompletionWithDesc(human.Handle(id), said))
	}
	return all
}

func (s *shared) names(cmd *cobra.Command, _ []string) cli.Words {
	if g := s.seen(cmd); g != nil {
		return namesOf(offeredOf(g))
	}
	return nil
}

func shownName(t *graph.Target) string { return human.Safe(redact.Name(t.Name)) }

// namesOf returns the distinct names, in the order of the targets.
func namesOf(targets []*graph.Target) cli.Words {
	counts := map[string]int{}
	for _, t := range targets {
		counts[shownName(t)]++
	}
	var all cli.Words
	for _, t := range targets {
		if name := shownName(t); counts[name] > 0 {
			all = append(all, cobra.CompletionWithDesc(name, human.Number(counts[name])+" of that name"))
			counts[name] = 0
		}
	}
	return all
}

// seen looks at this host once, for a short time. It returns nil if it cannot.
func (s *shared) seen(cmd *cobra.Command) *graph.Graph {
	ctx, end := context.WithTimeout(context.Background(), completeWithin)
	defer end()
	sight, err := (&lookFlags{shared: s.silent(), policies: policyNamed(cmd)}).lookOnce(ctx)
	if err != nil {
		return nil
	}
	defer sight.Close()
	return sight.View.Graph
}

// offeredOf returns the targets that a person may mean.
func offeredOf(g *graph.Graph) []*graph.Target {
	isLeftOut := func(t *graph.Target) bool { return t.Incidental || t.Name == "" }
	return slices.DeleteFunc(slices.Clone(g.Targets), isLeftOut)
}

package main

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policyfile"
)

// completeWithin limits a completion that looks at the host: the person who pressed
// Tab waits for it. Tests on a busy machine wait for longer.
var completeWithin = 2 * time.Second

// completions are what a shell offers for every command.
func (s *shared) completions() cli.Completions {
	return cli.Completions{
		Arguments: map[string]cli.Completer{
			"scan": s.targets, "explain": cli.OnlyOne(s.targets), "sweep": s.targets, "pin": s.targets, "unpin": s.pinned,
			"help": cli.HelpTopics, "pause": cli.OnlyOne(cli.Fixed("15m", "1h", "2h", "8h", "1d")),
			"wrap": nil,                                                                        // its own
			"exec": nil, "demo": nil, "policy check": nil, "policy show": nil, "snapshot": nil, // files
		},
		Flags: map[string]cli.Completer{
			"color":      cli.Fixed("auto", "always", "never"),
			"log-level":  cli.Fixed("debug", "info", "warn", "error"),
			"log-format": cli.Fixed("auto", "text", "json"),
			"mode":       cli.Fixed("enforce", "report"),
			"output":     cli.Fixed("table", "wide", "json", "yaml"),
			"sort":       cli.Fixed("tree", "memory", "cpu", "age", "state", "name"),
			"rule":       s.rules,
		},
		Files: map[string][]string{"policies": {"yaml", "yml"}, "snapshot": {"json", "gz"}, "journal": {"jsonl"}, "program": nil},
	}
}

// policyNamed returns the policy file that the unfinished command line names; "" means
// the one in force.
func policyNamed(cmd *cobra.Command) string {
	if flag := cmd.Flag(policyFlag); flag != nil {
		return flag.Value.String()
	}
	return ""
}

func (s *shared) rules(cmd *cobra.Command, _ []string) (words []cobra.Completion) {
	p, err := policyfile.Load(policyNamed(cmd))
	if err != nil {
		return nil
	}
	for _, rule := range p.Rules {
		words = append(words, cobra.CompletionWithDesc(rule.Name, string(rule.Action)))
	}
	return words
}

func clientNames(*cobra.Command, []string) []cobra.Completion { return discover.Clients() }

// ask asks a decider for a short time. What cannot be told is not offered.
func (s *shared) ask(cmd *cobra.Command, tell func(context.Context, *decider)) {
	ctx, end := context.WithTimeout(context.Background(), completeWithin)
	defer end()
	l := &lookFlags{shared: s.silent(), output: "table", policies: policyNamed(cmd)}
	if d, err := l.decider(ctx); err == nil {
		defer d.close()
		tell(ctx, d)
	}
}

// targets completes with what is there: handles with names, then each name.
func (s *shared) targets(cmd *cobra.Command, _ []string) (words []cobra.Completion) {
	names := map[string]bool{}
	add := func(handle, name string) {
		words = append(words, cobra.CompletionWithDesc(handle, human.Safe(name)))
		if name != "" {
			names[human.Safe(name)] = true
		}
	}
	s.ask(cmd, func(ctx context.Context, d *decider) {
		a, err := d.Account(ctx, true)
		if err != nil {
			return
		}
		for _, thing := range a.Things {
			add(thing.Handle, thing.Name)
		}
		for _, session := range a.Sessions {
			add(strconv.Itoa(session.PID), session.Name)
		}
	})
	slices.Sort(words)
	words = slices.Compact(words)
	return append(words, slices.Sorted(maps.Keys(names))...)
}

func (s *shared) pinned(cmd *cobra.Command, _ []string) (words []cobra.Completion) {
	s.ask(cmd, func(ctx context.Context, d *decider) {
		pins, _ := d.Pins(ctx)
		for _, pin := range pins {
			words = append(words, cobra.CompletionWithDesc(cmp.Or(pin.Container, human.Handle(pin.Target)), human.Safe(pin.Called)))
		}
	})
	return words
}

package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/offer"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/scan"
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
		"port":       cli.Nothing,
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
	return offer.Rules(p)
}

func clientNames(*cobra.Command, []string) cli.Words { return discover.Clients() }

func (s *shared) pinned(*cobra.Command, []string) cli.Words {
	pinned, err := stateDir().Pins(scan.BootID(), time.Now())
	if err != nil {
		return nil
	}
	return offer.Pins(pinned)
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
	return offer.Servers(set)
}

// targets and names complete with what runs.
func (s *shared) targets(cmd *cobra.Command, _ []string) cli.Words { return offer.Targets(s.seen(cmd)) }

func (s *shared) names(cmd *cobra.Command, _ []string) cli.Words { return offer.Names(s.seen(cmd)) }

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

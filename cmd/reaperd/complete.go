package main

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/offer"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/scan"
	"github.com/reaperd/reaperd/internal/sweep"
)

// completeWithin limits a completion that looks at the host: the person who pressed
// Tab waits for it. Tests on a busy machine wait for longer.
var completeWithin = 2 * time.Second

// argumentWords returns the completers of arguments, by command.
func (s *shared) argumentWords() map[string]cli.Completer {
	return map[string]cli.Completer{
		"scan":         s.targets,
		"explain":      cli.OnlyOne(s.targets),
		"help":         cli.HelpTopics,
		"sweep":        s.stoppable,
		"pin":          s.targets,
		"unpin":        s.pinned,
		"pause":        cli.OnlyOne(cli.Fixed("15m", "1h", "2h", "8h", "1d")),
		"wrap":         nil, // its own
		"exec":         nil,
		"demo":         nil,
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
		"pid":        pidsActedOn,
		"port":       cli.Nothing,
		"newest":     cli.Fixed("10", "20", "50"),
		"name":       s.knownNames,
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

// knownNames completes with the names that the command's flag is about: of history those in the
// journal.
func (s *shared) knownNames(cmd *cobra.Command, typed []string) cli.Words {
	if cmd.Name() == "history" {
		return offer.ActedOn(entriesOf(cmd))
	}
	return s.configuredNames(cmd, typed)
}

func pidsActedOn(cmd *cobra.Command, _ []string) cli.Words { return offer.PIDsActedOn(entriesOf(cmd)) }

// entriesOf are the entries of the journal that the unfinished command line names.
func entriesOf(cmd *cobra.Command) iter.Seq2[journal.Entry, error] {
	named := ""
	if flag := cmd.Flag("journal"); flag != nil {
		named = flag.Value.String()
	}
	return (&journal.History{Path: journalPath(named)}).Read(journal.Filter{})
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

// targets completes with what runs.
func (s *shared) targets(cmd *cobra.Command, _ []string) cli.Words {
	return offer.Targets(s.seen(cmd).Graph)
}

// stoppable completes with what a sweep with the flags of the unfinished command line could stop.
func (s *shared) stoppable(cmd *cobra.Command, _ []string) cli.Words {
	given := cli.Given{Flags: cmd.Flags()}
	ends := policy.Switches{Duplicates: given.Switch("duplicates")}
	ends.IdleOver, _ = cli.SpanOf("--idle-over", given.Text("idle-over")) // what cannot be read asks for none
	view := s.seen(cmd)
	return offer.Stoppable(view.Graph, view.Verdicts, ends)
}

// seen looks at this host once, for a short time. It returns the zero view if it cannot.
func (s *shared) seen(cmd *cobra.Command) sweep.View {
	ctx, end := context.WithTimeout(context.Background(), completeWithin)
	defer end()
	view, _ := (&lookFlags{shared: s.silent(), policies: policyNamed(cmd)}).lookOnce(ctx) // zero if it cannot look
	return view
}

// commandWords completes the command line that `reaperd exec` or demo runs, as a shell does: a program of
// PATH, and files.
func commandWords(_ *cobra.Command, typed []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(typed) > 0 || strings.Contains(word, "/") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return offer.Programs(filepath.SplitList(os.Getenv("PATH")), word), cobra.ShellCompDirectiveDefault
}

package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/redact"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/terminal"
)

// shared are the flags of every command.
type shared struct {
	terminal.Terminal
	color     string
	logLevel  string
	logFormat string
	begun     bool // the command line was read, and the command runs
}

// options are how this terminal shows a report.
func (s *shared) options() report.Options {
	return report.Options{Width: s.Width(), Color: s.HasColors(s.color), UTF8: terminal.SpeaksUTF8(), Location: time.Local}
}

// run runs one command line and returns the exit code.
func run(ctx context.Context, args []string, t terminal.Terminal) int {
	s := &shared{Terminal: t}
	root := newRoot(s)
	if asksForWords(args) {
		s.completions(root)
	}
	root.SetArgs(args)
	root.SetIn(t.In)
	root.SetOut(t.Out)
	root.SetErr(t.Err)
	cmd, err := root.ExecuteContextC(ctx)
	return forManager(cmd.Name(), conclude(ctx, t.Err, s.concluded(cmd, err)), os.LookupEnv)
}

// concluded is a command's error with the code that it ends with. What has none
// comes from reading the command line or, once the command runs, from writing its answer.
func (s *shared) concluded(cmd *cobra.Command, err error) error {
	_, made := codeOf(err)
	switch {
	case !s.begun:
		return misread(cmd, err)
	case err == nil, made, errors.Is(err, context.Canceled):
		return err
	}
	return advice.Failed("", "%w", err)
}

func newRoot(s *shared) *cobra.Command {
	root := &cobra.Command{
		Use:   "reaperd",
		Short: "Reaps MCP servers and containers that no live agent session owns",
		Long: `reaperd watches the process table and Docker for MCP servers, works out which live
agent session owns each of them, and reaps those that nobody owns any more.

Start with:  reaperd scan --dry-run`,
		SilenceUsage:               true,
		SilenceErrors:              true,
		DisableSuggestions:         true, // misread makes a hint of them
		SuggestionsMinimumDistance: 2,
		CompletionOptions:          cobra.CompletionOptions{HiddenDefaultCmd: false},
		Version:                    version().short(),
		PersistentPreRunE:          func(cmd *cobra.Command, _ []string) error { return s.prepare(cmd) },
	}
	root.SetVersionTemplate("reaperd {{.Version}}\n")
	flags := root.PersistentFlags()
	flags.StringVar(&s.color, "color", "auto", "colour: auto, always or never")
	flags.StringVar(&s.logLevel, "log-level", "info", "log: debug, info, warn or error")
	flags.StringVar(&s.logFormat, "log-format", "text", "log format: text or json")
	root.AddCommand(
		newScan(s), newSweep(s), newExplain(s), newSnapshot(s), newDiscover(s), newDoctor(s),
		newRun(s), newStatus(s), newTop(s), newPage(s), newHistory(s), newHealth(s), newInstall(s), newUninstall(s),
		newPin(s), newUnpin(s), newPins(s), newPause(s), newResume(s),
		newPolicy(s), newSchema(s), newVersion(s), newExec(s), newWrap(s), newDemo(s), newSelfTestPart(),
	)
	root.AddCommand(helpTopics()...)
	root.AddCommand(builderCommands()...)
	refuseStrayWords(root)
	suggest(root)
	return root
}

// prepare fills unset flags from the environment and checks the shared ones.
func (s *shared) prepare(cmd *cobra.Command) error {
	s.begun = true
	if err := fromEnvironment(cmd.Flags(), os.LookupEnv); err != nil {
		return err
	}
	if s.color != "auto" && s.color != "always" && s.color != "never" {
		return advice.Misused("", "--color %q: want auto, always or never", s.color)
	}
	if s.logFormat != "text" && s.logFormat != "json" {
		return advice.Misused("", "--log-format %q: want text or json", s.logFormat)
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.logLevel)); err != nil {
		return advice.Misused("", "--log-level %q: want debug, info, warn or error", s.logLevel)
	}
	return nil
}

// environmentName is the variable behind a flag: --log-level is REAPERD_LOG_LEVEL.
func environmentName(flag string) string {
	return "REAPERD_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fromEnvironment sets every flag that was not given from its variable.
func fromEnvironment(flags *pflag.FlagSet, lookup func(string) (string, bool)) error {
	var fault error
	flags.VisitAll(func(flag *pflag.Flag) {
		value, set := lookup(environmentName(flag.Name))
		if !set || flag.Changed || fault != nil || flag.Name == "help" || flag.Name == "version" {
			return
		}
		err := flags.Set(flag.Name, value)
		var invalid *pflag.InvalidValueError
		switch {
		case errors.As(err, &invalid):
			fault = advice.Misused("reaperd help environment", "%s=%q: want %s", environmentName(flag.Name), value, wanted(invalid))
		case err != nil:
			fault = advice.Misused("reaperd help environment", "%s=%q: %w", environmentName(flag.Name), value, err)
		}
	})
	return fault
}

// logger writes one record a line to stderr, without secrets: what is logged of
// others' processes is as they wrote it.
func (s *shared) logger() *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(s.logLevel)) // checked by prepare
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: withoutSecrets}
	if s.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(s.Err, options))
	}
	return slog.New(slog.NewTextHandler(s.Err, options))
}

// withoutSecrets masks what looks like a secret in a record's text.
func withoutSecrets(groups []string, attr slog.Attr) slog.Attr {
	if len(groups) == 0 && (attr.Key == slog.TimeKey || attr.Key == slog.LevelKey) {
		return attr
	}
	switch value := attr.Value.Any().(type) {
	case string:
		attr.Value = slog.StringValue(redact.Name(redact.Text(value)))
	case error:
		attr.Value = slog.StringValue(redact.Text(value.Error()))
	}
	return attr
}

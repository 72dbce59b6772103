package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/redact"
	"github.com/reaperd/reaperd/internal/screen"
	"github.com/reaperd/reaperd/internal/state"
)

// shared has the flags of every command.
type shared struct {
	cli.Terminal
	color     string
	logLevel  slog.Level
	logFormat string
	begun     bool // the command line has been read, and the command runs
}

// options returns the terminal's options for reports.
func (s *shared) options() screen.Options {
	return screen.Options{
		Width: s.Width(), Color: s.HasColors(s.color), UTF8: cli.SpeaksUTF8(),
		Home: state.Home(), Now: time.Now(), Location: time.Local,
	}
}

// run runs one command line and returns the exit code.
func run(ctx context.Context, args []string, t cli.Terminal) int {
	s := &shared{Terminal: t.Noted(), color: "auto", logFormat: "auto"}
	root := newRoot(s)
	if cli.AsksForWords(args) {
		s.completions().Register(root)
	}
	root.SetArgs(args)
	root.SetIn(t.In)
	root.SetOut(s.Out)
	root.SetErr(t.Err)
	cmd, err := root.ExecuteContextC(ctx)
	return forManager(cmd.Name(), conclude(ctx, &s.Terminal, cmd.CommandPath()+" --help", stateDir().Advise(s.concluded(cmd, err))), os.LookupEnv)
}

// concluded gives a command's error an exit code. An error without one comes from reading
// the command line or, once the command runs, from writing its answer. A command that has no
// error, or has only an exit code, still fails if a part of its answer could not be written.
func (s *shared) concluded(cmd *cobra.Command, err error) error {
	if errors.Is(err, errVersion) {
		s.showVersion()
		err = nil
	}
	_, made := codeOf(err)
	switch {
	case s.Unwritten() != nil && (err == nil || err.Error() == ""):
		return human.Failed("", "%w", s.Unwritten())
	case err == nil, made, errors.Is(err, context.Canceled):
		return err
	case !s.begun:
		return cli.Misread(cmd, err)
	}
	return human.Failed("", "%w", err)
}

func newRoot(s *shared) *cobra.Command {
	root := &cobra.Command{
		Use:   "reaperd",
		Short: "Reaps MCP servers and containers that no live agent session owns",
		Long: `reaperd watches the process table and Docker for MCP servers, works out which live
agent session owns each of them, and reaps those that nobody owns any more.

Start with:  reaperd scan --dry-run`,
		SilenceUsage:       true,
		SilenceErrors:      true,
		DisableSuggestions: true, // cli.Misread gives suggestions in a hint
		CompletionOptions:  cobra.CompletionOptions{HiddenDefaultCmd: false},
		PersistentPreRunE:  func(cmd *cobra.Command, _ []string) error { return s.prepare(cmd) },
	}
	addVersionFlag(root)
	flags := root.PersistentFlags()
	flags.Func("color", "colour: auto, always or never (default auto)", cli.OneOf(&s.color, "auto", "always", "never"))
	flags.Func("log-level", "log: debug, info, warn or error (default info)", s.readLevel)
	flags.Func("log-format", "log format: text, json or auto (lines to read on a terminal, else text; default auto)", cli.OneOf(&s.logFormat, "auto", "text", "json"))
	root.AddCommand(
		newScan(s), newSweep(s), newExplain(s), newSnapshot(s), newDiscover(s), newDoctor(s),
		newRun(s), newStatus(s), newTop(s), newPage(s), newHistory(s), newHealth(s), newInstall(s), newUninstall(s),
		newPin(s), newUnpin(s), newPins(s), newPause(s), newResume(s),
		newPolicy(s), newSchema(s), newMCP(s), newVersion(s), newExec(s), newWrap(s), newDemo(s), newSelfTestPart(), newMan(),
	)
	root.AddCommand(helpTopics()...)
	cli.RefuseStrayWords(root)
	cli.Suggest(root, otherWords())
	cli.Group(root, groups())
	explainLibrary(root)
	cli.WrapHelp(root, firstPage(), s.helpWidth)
	return root
}

// keepsState reports a command that reads or writes this user's state: a server starts without it, and a version is told.
func keepsState(cmd *cobra.Command) bool {
	return !slices.Contains([]string{"exec", "version", "completion", "help"}, cmd.Name())
}

// readLevel reads --log-level.
func (s *shared) readLevel(text string) error {
	if s.logLevel.UnmarshalText([]byte(text)) != nil {
		return fmt.Errorf("%q: want debug, info, warn or error", text)
	}
	return nil
}

// prepare fills unset flags from the environment.
func (s *shared) prepare(cmd *cobra.Command) error {
	s.begun = true
	if err := cli.FromEnvironment(cmd.Flags(), os.LookupEnv); err != nil {
		return err
	}
	if err := state.CheckPlace(os.LookupEnv); err != nil && keepsState(cmd) {
		return human.Misused("reaperd help environment", "%w", err)
	}
	if err := cmd.ValidateFlagGroups(); err != nil {
		return human.Misused("", "%w", err)
	}
	return nil
}

// silent returns the flags for a command that must not write on the terminal.
func (s *shared) silent() *shared {
	silent := *s
	silent.Out, silent.Err = io.Discard, io.Discard
	return &silent
}

// logger writes one record on each line of stderr, without secrets.
func (s *shared) logger() *slog.Logger { return s.logs(false) }

// logs is logger. On a terminal records begin with the time of the day, or with none; a program that
// reads stderr gets the whole time.
func (s *shared) logs(times bool) *slog.Logger {
	options := &slog.HandlerOptions{Level: s.logLevel, ReplaceAttr: withoutEmpty}
	switch {
	case s.logFormat == "json":
		options.ReplaceAttr = withoutSecrets
		return slog.New(slog.NewJSONHandler(escaped{s.Err}, options))
	case s.logFormat == "auto" && s.ErrWidth() > 0:
		options.ReplaceAttr = func(groups []string, attr slog.Attr) slog.Attr { return forPeople(groups, attr, times) }
	}
	return slog.New(slog.NewTextHandler(s.Err, options))
}

// escaped writes records in JSON, each in one piece, without invisible characters.
type escaped struct{ io.Writer }

func (e escaped) Write(record []byte) (int, error) {
	if _, err := e.Writer.Write(human.EscapeJSON(record)); err != nil {
		return 0, err
	}
	return len(record), nil
}

// forPeople is withoutEmpty, and leaves out what nobody at a terminal needs: the date, the level of
// what is well, and what only names a record for programs.
func forPeople(groups []string, attr slog.Attr, times bool) slog.Attr {
	switch {
	case len(groups) > 0:
	case attr.Key == slog.TimeKey && times:
		return slog.String(slog.TimeKey, attr.Value.Time().Format(time.TimeOnly))
	case attr.Key == slog.TimeKey, attr.Key == slog.LevelKey && attr.Value.Any() == slog.LevelInfo, slices.Contains([]string{"id", "sha256", "owner_liveness"}, attr.Key):
		return slog.Attr{}
	}
	return withoutEmpty(groups, attr)
}

// withoutEmpty is withoutSecrets, and leaves out what has no value, such as the owner of a
// server that nobody is known to have started. JSON keeps all keys, for programs.
func withoutEmpty(groups []string, attr slog.Attr) slog.Attr {
	attr = withoutSecrets(groups, attr)
	if attr.Value.Kind() != slog.KindGroup && attr.Value.String() == "" {
		return slog.Attr{}
	}
	return attr
}

// withoutSecrets masks text in a record that looks like a secret.
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

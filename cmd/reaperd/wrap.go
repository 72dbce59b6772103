package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/redact"
	"github.com/reaperd/reaperd/internal/wrap"
)

// wrapping is what `wrap` was asked to do.
type wrapping struct {
	*shared
	undo    bool
	check   bool
	yes     bool
	program string
}

// rewriting is one file with what is to be done with it.
type rewriting struct {
	file   wrap.File
	change wrap.Change
}

const wrapHelp = `Changes the configuration of a client, so that each server it starts is started by
"reaperd exec" and leaves nothing behind: "npx -y x" becomes
"reaperd exec --name NAME -- npx -y x". What has an address (url) is never touched.

Without an argument it is every file of yours that reaperd discover lists; a CLIENT or a
FILE narrows it. The change is shown first and asked for on a terminal. Only the words of
commands change: comments, order and indentation stay, and so do the mode, the owner and
the link of a file. The file as it was stays beside it, as FILE.before-reaperd.

--undo takes it away again. Where nothing else was changed since, the file is then the
same byte for byte. --check changes nothing and ends with 3 where a server is not wrapped.

Restart the client, or its servers, for a change to hold.`

func newWrap(s *shared) *cobra.Command {
	c := &wrapping{shared: s}
	cmd := &cobra.Command{
		Use:               "wrap [CLIENT|FILE…]",
		Short:             "Put reaperd exec in front of the servers that a client is configured to start",
		Long:              wrapHelp,
		Example:           "  reaperd wrap claude-code\n  reaperd wrap --undo ~/.cursor/mcp.json\n  reaperd wrap --check",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: cobra.FixedCompletions(discover.Clients(), cobra.ShellCompDirectiveDefault),
		RunE:              func(cmd *cobra.Command, args []string) error { return c.wrapFiles(cmd.Context(), args) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&c.undo, "undo", false, "take reaperd exec away again")
	flags.BoolVar(&c.check, "check", false, "change nothing; end with 3 where a server is not wrapped")
	flags.BoolVarP(&c.yes, "yes", "y", false, "do not ask")
	flags.StringVar(&c.program, "program", "", "how reaperd is called in the file (default: reaperd if that is found in PATH, else its path)")
	cmd.MarkFlagsMutuallyExclusive("undo", "check")
	return cmd
}

func (c *wrapping) wrapFiles(ctx context.Context, names []string) error {
	files, err := c.files(ctx, names)
	if err != nil {
		return err
	}
	if c.program == "" && !c.undo {
		if c.program, err = configuredName(); err != nil {
			return failed("name it: --program /usr/local/bin/reaperd", "find this program: %w", err)
		}
	}
	var plan []rewriting
	var faults []error
	for _, file := range files {
		change, err := c.change(file)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", file.Path, err))
			continue
		}
		c.tellUnclear(file, change)
		if !change.IsNone() {
			plan = append(plan, rewriting{file, change})
		}
	}
	if len(faults) > 0 {
		return failed("mend it, or name the other files; nothing was changed", "%w", errors.Join(faults...))
	}
	return c.carryOut(ctx, plan, len(files))
}

// files are those that were named, or all that are discovered.
func (c *wrapping) files(ctx context.Context, names []string) ([]wrap.File, error) {
	known, err := ownConfigurations(ctx)
	if err != nil {
		return nil, err
	}
	paths := map[string]string{}
	for _, name := range names {
		switch {
		case slices.Contains(discover.Clients(), name):
			for path, client := range known {
				if client == name {
					paths[path] = client
				}
			}
		case !strings.ContainsAny(name, "/.") && !exists(name):
			return nil, usage("clients: "+strings.Join(discover.Clients(), ", "), "%q is neither a client nor a file", name)
		default:
			path, err := filepath.Abs(name)
			if err != nil {
				return nil, failed("", "%w", err)
			}
			paths[path] = cmp.Or(known[path], discover.ClientOf(path))
		}
	}
	if len(names) == 0 {
		paths = known
	}
	return openAll(paths)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func openAll(paths map[string]string) ([]wrap.File, error) {
	var files []wrap.File
	for path, client := range paths {
		file, err := wrap.Open(path, client)
		if err != nil {
			return nil, failed("", "read configuration: %w", err)
		}
		files = append(files, file)
	}
	slices.SortFunc(files, func(a, b wrap.File) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

// ownConfigurations are the files with servers in the user's home and around the
// working directory, with their clients.
func ownConfigurations(ctx context.Context) (map[string]string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, failed("name the file", "%w", err)
	}
	uid := os.Getuid()
	var workdirs []discover.Workdir
	if folder, err := os.Getwd(); err == nil {
		workdirs = []discover.Workdir{{Dir: folder, UID: uid}}
	}
	set, _ := discover.New(discover.Options{}).Configured(ctx, []discover.Home{{Dir: home, UID: uid}}, workdirs)
	found := map[string]string{}
	for _, server := range set.Servers() {
		if server.Client != "docker-mcp" { // a registry names images, and starts nothing
			found[server.File] = server.Client
		}
	}
	return found, nil
}

// configuredName is how this program is called from a client: by its name where that
// finds it, since the file may be shared between machines.
func configuredName() (string, error) {
	own, err := os.Executable()
	if err != nil {
		return "", err
	}
	found, err := exec.LookPath("reaperd")
	if err == nil && sameFile(found, own) {
		return "reaperd", nil
	}
	return own, nil
}

func sameFile(a, b string) bool {
	first, errA := os.Stat(a)
	second, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(first, second)
}

func (c *wrapping) change(file wrap.File) (wrap.Change, error) {
	if c.undo {
		return file.Undo()
	}
	return file.Wrap(c.program)
}

// tellUnclear names the servers that stay as they are, and the containers below
// a shell, which cannot be tied to their client.
func (c *wrapping) tellUnclear(file wrap.File, change wrap.Change) {
	for _, e := range change.Entries {
		switch {
		case c.undo:
		case e.State == wrap.Unclear:
			fmt.Fprintf(c.err, "%s: server %q is written in a way that is not changed in place: it stays as it is\n", human.Safe(file.Path), e.Name)
		case e.State == wrap.Unwrapped && e.RunsContainerInShell():
			fmt.Fprintf(c.err, "%s: server %q runs a container in a shell's line: its processes are ended, its container is left to the daemon\n", human.Safe(file.Path), e.Name)
		}
	}
}

// carryOut shows the plan, asks, and writes.
func (c *wrapping) carryOut(ctx context.Context, plan []rewriting, files int) error {
	if len(plan) == 0 {
		said := "Every server that is started is wrapped."
		switch {
		case files == 0:
			said = "No client here is configured to start an MCP server."
		case c.undo:
			said = "Nothing is wrapped."
		}
		fmt.Fprintln(c.err, said)
		return nil
	}
	for _, r := range plan {
		fmt.Fprint(c.out, redact.Text(visibleLines(string(diff.Diff(r.file.Path, r.change.Before, r.file.Path, r.change.After)))))
	}
	if c.check {
		return exitWith(exitWouldReap)
	}
	if yes, err := c.agreed(ctx, len(plan)); !yes || err != nil {
		return err
	}
	for _, r := range plan {
		if err := r.file.Write(r.change, !c.undo); err != nil {
			return failed("", "%w", err)
		}
	}
	return c.tellDone(plan)
}

// visibleLines masks what would move the cursor, line by line.
func visibleLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = human.Safe(strings.ReplaceAll(strings.TrimSuffix(line, "\r"), "\t", "    "))
	}
	return strings.Join(lines, "\n")
}

// agreed asks on a terminal; elsewhere only --yes is a yes.
func (c *wrapping) agreed(ctx context.Context, files int) (bool, error) {
	switch {
	case c.yes:
		return true, nil
	case !isTerminal(c.in):
		return false, usage("add --yes, or --check to see it only", "nobody is there to ask: stdin is no terminal")
	}
	return c.ask(ctx, "Write this to "+counted(files)+"?", "Nothing changed.")
}

func counted(files int) string {
	if files == 1 {
		return "the file"
	}
	return fmt.Sprintf("these %d files", files)
}

func (c *wrapping) tellDone(plan []rewriting) error {
	for _, r := range plan {
		if c.undo {
			fmt.Fprintf(c.err, "changed back: %s\n", human.Safe(r.file.Path))
			continue
		}
		fmt.Fprintf(c.err, "changed: %s (as it was: %s)\n", human.Safe(r.file.Path), human.Safe(r.file.Backup()))
	}
	_, err := fmt.Fprintln(c.err, "Restart the client, or its servers, for it to hold.")
	return err
}

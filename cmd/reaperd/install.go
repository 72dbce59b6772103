package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/deploy"
)

// installing is what `install` and `uninstall` were asked to do.
type installing struct {
	*shared
	verb    string // install or uninstall
	machine installMachine
	forUser bool // --user
	forHost bool // --system
	dryRun  bool
	yes     bool
}

// installMachine is where a service is installed, with what is done to it.
type installMachine struct {
	installPlace
	run  func(ctx context.Context, command []string) error
	wait func(ctx context.Context, d time.Duration) error
	// changeable names who but root may change a program; empty is nobody.
	changeable func(binary string) (string, error)
}

func newInstall(s *shared) *cobra.Command {
	c := &installing{shared: s, verb: "install"}
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Write the service for this machine, and start it",
		Long: `Writes the systemd unit or launchd job that runs this very program, and starts it.
What is written and what is run is shown first; on a terminal it asks.

--user watches your own servers, --system every user's. Without either it is
--system for root and --user for everybody else.`,
		Example: "  reaperd install --user\n  sudo reaperd install --system\n  reaperd install --dry-run",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.with(cmd.Context(), c.install) },
	}
	c.flags(cmd, "show what would be written and run, and stop there")
	return cmd
}

func newUninstall(s *shared) *cobra.Command {
	c := &installing{shared: s, verb: "uninstall"}
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Stop the service that install wrote, and remove it",
		Long: `Stops the service that "reaperd install" wrote and removes its file. Policy, pins
and journal stay, and it says where they are.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.with(cmd.Context(), c.uninstall) },
	}
	c.flags(cmd, "show what would be run and removed, and stop there")
	return cmd
}

func (c *installing) flags(cmd *cobra.Command, dryRun string) {
	flags := cmd.Flags()
	flags.BoolVar(&c.forUser, "user", false, "for your own servers")
	flags.BoolVar(&c.forHost, "system", false, "for the whole host; needs root")
	flags.BoolVar(&c.dryRun, "dry-run", false, dryRun)
	flags.BoolVarP(&c.yes, "yes", "y", false, "do not ask")
	cmd.MarkFlagsMutuallyExclusive("user", "system")
}

// with does one of the two on this machine.
func (c *installing) with(ctx context.Context, do func(context.Context, installService) error) error {
	place, err := thisPlace()
	if err != nil {
		return failed("", "%w", err)
	}
	c.machine = installMachine{installPlace: place, run: runCommand, wait: wait, changeable: changeable}
	return c.on(ctx, do)
}

// on does one of the two on the machine that was set.
func (c *installing) on(ctx context.Context, do func(context.Context, installService) error) error {
	system, err := c.scope()
	if err != nil {
		return err
	}
	service, err := c.machine.service(system)
	if err != nil {
		return err
	}
	return do(ctx, service)
}

// scope reports whether the service is the whole host's.
func (c *installing) scope() (system bool, err error) {
	root := c.machine.uid == 0
	switch {
	case c.forHost && !root:
		return false, usage("sudo reaperd "+c.verb+" --system", "a service of the whole host needs root")
	case c.forUser && root:
		return false, usage("reaperd "+c.verb+" --user, without sudo", "root's own user service would see no more than root's servers")
	}
	return root, nil
}

func (c *installing) install(ctx context.Context, service installService) error {
	if err := c.installable(service); err != nil {
		return err
	}
	before, err := os.ReadFile(service.file)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return failed("", "read service: %w", err)
	case err == nil && !ours(before):
		return failed("move it away, or keep it and start it as it is", "%s is there, and reaperd did not write it", service.file)
	}
	c.show("write "+service.file, service.text, service.start)
	if done, err := c.settled(ctx, "Write it and start it?"); done || err != nil {
		return err
	}
	if err := c.reached(ctx, service.reach); err != nil {
		return err
	}
	if err := writeService(service); err != nil {
		return failed("", "write service: %w", err)
	}
	if err := c.runAll(ctx, service.start); err != nil {
		return err
	}
	c.tell("Started.", service.look)
	return nil
}

func (c *installing) uninstall(ctx context.Context, service installService) error {
	before, err := os.ReadFile(service.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_, err := fmt.Fprintf(c.err, "%s is not there: nothing to remove\n", service.file)
		return err
	case err != nil:
		return failed("", "read service: %w", err)
	case !ours(before):
		return failed("remove it the way it came", "reaperd did not write %s", service.file)
	}
	c.show("remove "+service.file, "", service.stop)
	if done, err := c.settled(ctx, "Stop it and remove it?"); done || err != nil {
		return err
	}
	if err := c.reached(ctx, service.reach); err != nil {
		return c.removeUnreached(service, err)
	}
	if err := c.runAll(ctx, service.stop); err != nil {
		return err
	}
	if err := removeFile(service.file); err != nil {
		return err
	}
	if err := c.runAll(ctx, service.after); err != nil {
		return err
	}
	c.tell("Stopped and removed. These stay:", service.stays)
	return nil
}

// reached reports why the manager of a service cannot be asked to do anything.
func (c *installing) reached(ctx context.Context, manager installReach) error {
	if len(manager.words) == 0 {
		return nil
	}
	if err := c.machine.run(ctx, manager.words); err != nil {
		return failed(manager.hint, "the service manager cannot be reached: %w", err)
	}
	return nil
}

// removeUnreached removes a service whose manager cannot be told to stop it, so
// that it is not started again.
func (c *installing) removeUnreached(service installService, why error) error {
	for _, file := range []string{service.link, service.file} {
		if err := removeFile(file); err != nil {
			return err
		}
	}
	fmt.Fprintf(c.err, "%v\nNothing was stopped: a daemon that runs goes on until the user's service manager ends.\n", why)
	c.tell("Removed. These stay:", service.stays)
	return nil
}

// removeFile removes a file of a service; one that is gone is no error.
func removeFile(file string) error {
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failed("", "remove service: %w", err)
	}
	return nil
}

// installable says why a service cannot be installed here, and what to do.
func (c *installing) installable(service installService) error {
	if err := c.machine.installable(service); err != nil || c.machine.uid != 0 {
		return err
	}
	who, err := c.machine.changeable(c.machine.binary)
	switch {
	case err != nil:
		return failed("", "look at this program: %w", err)
	case who != "":
		return failed("sudo install -m 755 "+c.machine.binary+" /usr/local/bin/reaperd   and run that one", "%s may be changed by %s, and root would run it", c.machine.binary, who)
	}
	return nil
}

// show prints what is going to happen before it does.
func (c *installing) show(file, text string, commands []installCommand) {
	fmt.Fprintf(c.out, "Would %s\n", file)
	for line := range strings.Lines(text) {
		fmt.Fprintf(c.out, "    %s", line)
	}
	fmt.Fprintln(c.out, "Would run")
	for _, command := range commands {
		fmt.Fprintf(c.out, "    %s\n", strings.Join(command.words, " "))
	}
}

// settled reports whether the command ends here; else somebody said yes.
func (c *installing) settled(ctx context.Context, question string) (done bool, err error) {
	switch {
	case c.dryRun:
		return true, nil
	case c.yes:
		return false, nil
	case !(isTerminal(c.in) && isTerminal(c.out)):
		return true, usage("add --yes, or --dry-run to see it only", "nobody is there to ask: stdin and stdout are no terminal")
	}
	yes, err := c.ask(ctx, question, "Nothing changed.")
	return !yes, err
}

func (c *installing) runAll(ctx context.Context, commands []installCommand) error {
	for _, command := range commands {
		if err := c.runOne(ctx, command); err != nil {
			return failed("", "%w", err)
		}
	}
	return nil
}

// notYetFor is how often a second is waited for a manager that is not done.
const notYetFor = 15

func (c *installing) runOne(ctx context.Context, command installCommand) error {
	for tries := 0; ; tries++ {
		err := c.machine.run(ctx, command.words)
		switch {
		case err == nil || slices.Contains(command.done, exitOf(err)):
			return nil
		case tries == notYetFor || !slices.Contains(command.notYet, exitOf(err)):
			return err
		}
		if waited := c.machine.wait(ctx, time.Second); waited != nil {
			return errors.Join(err, waited)
		}
	}
}

// exitOf is the code that a command ended with; -1 where it did not.
func exitOf(err error) int {
	var ended interface{ ExitCode() int }
	if errors.As(err, &ended) {
		return ended.ExitCode()
	}
	return -1
}

// wait lets some time go by, unless the command is interrupted.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func (c *installing) tell(heading string, lines []string) {
	fmt.Fprintln(c.out, heading)
	for _, line := range lines {
		fmt.Fprintf(c.out, "    %s\n", line)
	}
}

// writeService puts a service's file in place at once and whole.
func writeService(service installService) error {
	if err := os.MkdirAll(filepath.Dir(service.file), 0o755); err != nil {
		return err
	}
	return renameio.WriteFile(service.file, []byte(service.text), 0o644)
}

// runCommand runs a command; what it says goes into the error.
func runCommand(ctx context.Context, command []string) error {
	said, err := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput()
	if err == nil {
		return nil
	}
	text := string(bytes.TrimSpace(said))
	if text == "" {
		return fmt.Errorf("%s: %w", strings.Join(command, " "), err)
	}
	return fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, strings.ReplaceAll(text, "\n", "; "))
}

// ours reports whether install wrote a file.
func ours(text []byte) bool { return bytes.Contains(text, []byte(deploy.Written)) }

// Package install writes the service of this machine (a systemd unit, or a launchd job)
// that runs the present executable, and removes it again.
//
// It shows each file and command first and then asks. It marks its own services
// ([deploy.Written]) and leaves every other service alone. Policy, pins and journal stay
// when the service is removed.
package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"github.com/reaperd/reaperd/deploy"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/wrap"
)

// Request is what the user asked `reaperd install` or `reaperd uninstall` to do.
type Request struct {
	User   bool // a service for the user's own servers
	Host   bool // a service for the whole host; if both are false, root gets one for the host
	DryRun bool // only show what would happen
	Yes    bool // do not ask
	// Ask asks a person.
	Ask func(ctx context.Context, question string) (bool, error)
	// Hosted reports that this host's daemon answers this user: one of the user's would end at once.
	Hosted   func(ctx context.Context) bool
	Out, Err io.Writer
	// Width is the width at which lines are broken between words; 0 breaks none. Commands to type
	// are never broken.
	Width int
}

// Install writes the service of this machine and starts it.
func Install(ctx context.Context, r Request) error {
	c := &installer{Request: r, verb: "install"}
	return c.with(ctx, c.install)
}

// Uninstall stops the service that [Install] wrote and removes it.
func Uninstall(ctx context.Context, r Request) error {
	c := &installer{Request: r, verb: "uninstall"}
	return c.with(ctx, c.uninstall)
}

// installer installs or uninstalls on one machine.
type installer struct {
	Request
	verb    string // install or uninstall
	machine machine
	// unmet begins the lines of a dry run that shows what cannot be done here; empty if it can.
	unmet string
}

// machine is where the service is installed, and the calls that change it.
type machine struct {
	place
	run  func(ctx context.Context, command []string) error
	wait func(ctx context.Context, d time.Duration) error
	// changeable names who besides root may change a program; empty if nobody may.
	changeable func(binary string) (string, error)
	// policy returns the policy by which a service acts: the file that its flags name or, if that is
	// "", that of its configuration folder, as in [policyfile.LoadFor].
	policy func(config, named string) (*policy.Policy, error)
	// paused returns the pause that holds, and whether one does.
	paused func() (state.Pause, bool, error)
	// wrapped returns the files of clients that start their servers by reaperd exec.
	wrapped func(ctx context.Context) []wrap.Written
	// daemon returns the daemon that runs already, and whether one does.
	daemon func() (state.Daemon, bool)
}

// with calls do for the service of this machine.
func (c *installer) with(ctx context.Context, do func(context.Context, service) error) error {
	here, err := thisPlace()
	if err != nil {
		return human.Failed("", "%w", err)
	}
	c.machine = machine{place: here, run: runCommand, wait: wait, changeable: changeable,
		policy: loadPolicy, daemon: runningDaemon, wrapped: wrap.FindWritten,
		paused: func() (state.Pause, bool, error) { return state.Own().Paused(time.Now()) }}
	return c.on(ctx, do)
}

// on calls do for the service of c.machine.
func (c *installer) on(ctx context.Context, do func(context.Context, service) error) error {
	system, err := c.scope()
	if err != nil {
		return err
	}
	s, err := c.machine.service(system)
	if err != nil {
		return err
	}
	return do(ctx, s)
}

func (c *installer) install(ctx context.Context, s service) error {
	if err := c.installable(s); err != nil {
		return c.preview(s, err)
	}
	if c.Hosted(ctx) {
		c.say(c.Out, "", "This host's daemon looks after your servers: reaperd status")
		return nil
	}
	before, err := c.before(s)
	if err != nil {
		return err
	}
	outlook, err := c.foretell(s)
	if err != nil {
		return err
	}
	c.show(s, before)
	for _, line := range outlook {
		c.say(c.Out, "", line)
	}
	if done, err := c.settled(ctx, "Write "+s.file+" and start it?"); done || err != nil {
		return err
	}
	if err := c.reached(ctx, s.reach); err != nil {
		return err
	}
	if err := writeService(s); err != nil {
		return human.Failed("", "write service: %w", err)
	}
	if err := c.runAll(ctx, s.start); err != nil {
		return human.Failed(s.look[1]+"   says why; reaperd uninstall   removes it again", "%s is written, but not started: %w", s.file, err)
	}
	c.tell("Started.", s.look)
	return nil
}

// preview returns why a service cannot be installed here. A dry run shows before that what it would be.
func (c *installer) preview(s service, why error) error {
	c.unmet = "If it could be installed here, it would "
	if before, err := ownText(s); err == nil && c.DryRun {
		c.show(s, before)
	}
	return why
}

// ownText returns the text of a service's file; nil if it is not there. It returns an error if the file
// is another's.
func ownText(s service) ([]byte, error) {
	text, err := os.ReadFile(s.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, human.Failed("", "read service: %w", err)
	case !ours(text):
		return nil, human.Failed("move it away, or keep it and start it as it is", "%s is there, and reaperd did not write it", s.file)
	}
	return text, nil
}

// before is ownText, with an error if a daemon runs that is not this service's.
func (c *installer) before(s service) ([]byte, error) {
	text, err := ownText(s)
	if err != nil {
		return nil, err
	}
	if daemon, runs := c.machine.daemon(); runs && !(text != nil && c.machine.isOfService(daemon.PID)) { // that one is started anew
		return nil, human.Failed("reaperd status   shows it; "+killEnds(daemon.PID)+"; then reaperd install",
			"a daemon runs already (process %d), and the service would not start beside it", daemon.PID)
	}
	return text, nil
}

// isOfService reports that systemd runs a process as this service; true if that is not known.
func (p place) isOfService(pid int) bool {
	group, err := os.ReadFile(p.path(fmt.Sprintf("/proc/%d/cgroup", pid)))
	return err != nil || bytes.Contains(group, []byte(deploy.UnitName))
}

// show prints what becomes of a service's file, which has had a text before, and how it is
// started. The text is nil if the file is not there.
func (c *installer) show(s service, before []byte) {
	switch {
	case before == nil:
		c.would("write "+s.file, s.text, nil)
	case string(before) == s.text:
		c.would("leave "+s.file+" as it is", "", nil)
	default:
		c.would("replace "+s.file, s.text, nil)
	}
	c.would("run", "", s.start)
}

// reached returns an error if the service manager cannot be reached.
func (c *installer) reached(ctx context.Context, manager reach) error {
	if len(manager.words) == 0 {
		return nil
	}
	if err := c.machine.run(ctx, manager.words); err != nil {
		return human.Failed(manager.hint, "the service manager cannot be reached: %w", err)
	}
	return nil
}

// installable returns an error, with a hint, if a service cannot be installed here.
func (c *installer) installable(s service) error {
	if err := c.machine.installable(s); err != nil {
		return err
	}
	if c.lacksRoot() {
		return c.needsRoot(human.Failed)
	}
	if c.machine.uid != 0 {
		return nil
	}
	who, err := c.machine.changeable(c.machine.binary)
	switch {
	case err != nil:
		return human.Failed("", "look at this program: %w", err)
	case who != "":
		return human.Failed("sudo install -m 755 "+c.machine.binary+" /usr/local/bin/reaperd   and run that one", "%s may be changed by %s, and root would run it", c.machine.binary, who)
	}
	return nil
}

// runningDaemon is the daemon of the present user's state directory.
func runningDaemon() (state.Daemon, bool) {
	daemon, runs, err := state.Own().Daemon()
	return daemon, runs && err == nil
}

// would prints what happens to a file, or that commands are run, before anything happens; a dry run shows the
// file's text too.
func (c *installer) would(what, text string, commands []command) {
	would := "Would "
	switch {
	case c.unmet != "":
		would = c.unmet
	case c.Yes && !c.DryRun:
		would = ""
	}
	c.say(c.Out, "", human.Capital(would+what))
	if !c.DryRun { // who is asked sees the path
		text = ""
	}
	for line := range strings.Lines(text) {
		words := strings.TrimLeft(line, " \t#")
		c.say(c.Out, indent+strings.TrimSuffix(line, words), strings.TrimSuffix(words, "\n"))
	}
	for _, command := range commands {
		fmt.Fprintln(c.Out, indent+strings.Join(command.words, " "))
	}
}

// settled reports whether the command ends here, without an act. Otherwise the user has
// agreed.
func (c *installer) settled(ctx context.Context, question string) (done bool, err error) {
	if c.DryRun || c.Yes {
		return c.DryRun, nil
	}
	yes, err := c.Ask(ctx, question)
	return !yes, err
}

func (c *installer) runAll(ctx context.Context, commands []command) error {
	for _, command := range commands {
		if err := c.runOne(ctx, command); err != nil {
			return human.Failed("", "%w", err)
		}
	}
	return nil
}

// notYetFor is how many times, a second apart, a command with a notYet exit code is tried
// again.
const notYetFor = 15

func (c *installer) runOne(ctx context.Context, command command) error {
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

// exitOf returns the exit code of a command's error; -1 if it has none.
func exitOf(err error) int {
	var ended interface{ ExitCode() int }
	if errors.As(err, &ended) {
		return ended.ExitCode()
	}
	return -1
}

// wait waits for d; it returns an error if ctx ends earlier.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func (c *installer) tell(heading string, commands []string) {
	c.say(c.Out, "", heading)
	for _, command := range commands {
		fmt.Fprintln(c.Out, indent+command)
	}
}

// indent begins a line that belongs to the one above it: a command, or a line of a file.
const indent = "    "

// say prints a line, broken behind its lead between words if it is too wide. A command stays whole.
func (c *installer) say(w io.Writer, lead, text string) {
	lines := []string{lead + text}
	if c.Width > 0 && human.Width(lines[0]) > c.Width && !strings.HasPrefix(text, indent) {
		lines = human.Hang(lead, text, c.Width)
	}
	fmt.Fprintln(w, strings.Join(lines, "\n"))
}

// writeService replaces the service's file atomically.
func writeService(s service) error {
	if err := os.MkdirAll(filepath.Dir(s.file), 0o755); err != nil {
		return err
	}
	return renameio.WriteFile(s.file, []byte(s.text), 0o644)
}

// runCommand runs a command. Its error contains the command's output.
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

// ours reports whether install wrote this text.
func ours(text []byte) bool { return bytes.Contains(text, []byte(deploy.Written)) }

package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/wrap"
)

func (c *installer) uninstall(ctx context.Context, s service) error {
	before, err := os.ReadFile(s.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c.absent(ctx, s)
	case err != nil:
		return human.Failed("", "read service: %w", err)
	case !ours(before):
		return human.Failed("remove it the way it came", "reaperd did not write %s", s.file)
	}
	if c.lacksRoot() {
		c.unmet = "As root it would "
	}
	c.would("run", "", s.stop)
	c.would("remove "+s.file, "", nil)
	if len(s.after) > 0 {
		c.would("run", "", s.after)
	}
	if c.lacksRoot() { // what stays is root's, and not seen from here
		return c.needsRoot(human.Failed)
	}
	c.foretellStays(ctx, s)
	if done, err := c.settled(ctx, "Stop it and remove it?"); done || err != nil {
		return err
	}
	if err := c.reached(ctx, s.reach); err != nil {
		return c.removeUnreached(ctx, s, err)
	}
	if err := c.runAll(ctx, s.stop); err != nil {
		return human.Failed(s.look[1]+"   says more", "%s is still there: %w", s.file, err)
	}
	if err := removeFile(s.file); err != nil {
		return err
	}
	if err := c.runAll(ctx, s.after); err != nil {
		return err
	}
	c.tellStays(ctx, "Stopped and removed.", s)
	return c.tellOther(ctx)
}

// absent tells that there is no service to remove, and what runs or starts all the same.
func (c *installer) absent(ctx context.Context, s service) error {
	if hosts, found := c.hosts(); found {
		return human.Failed("sudo reaperd uninstall   removes it", "%s is not there; the service of the whole host is: %s", s.file, hosts)
	}
	if packaged := c.machine.packaged(); packaged != "" {
		return human.Failed("systemctl disable --now reaperd   stops it, or for yourself: systemctl --user disable --now reaperd; the package takes it away",
			"%s is not there; a package has brought the service: %s", s.file, packaged)
	}
	c.say(c.Err, "", s.file+" is not there: nothing to remove")
	if c.lacksRoot() { // all below is about this user's own
		return nil
	}
	for _, file := range c.machine.wrapped(ctx) {
		c.say(c.Err, note, file.Path+": "+startsByExec(file))
	}
	c.tellByHand()
	return nil
}

// note is the lead of a line on stderr that is no error.
const note = "note: "

// startsByExec says what holds for a file that wrap has changed.
func startsByExec(file wrap.Written) string {
	undo := "reaperd wrap --undo"
	if file.User != "" {
		undo += " as " + file.User
	}
	return "its servers start by reaperd exec: " + undo + ", before the program goes"
}

// hosts is the file of the whole host's service, where a user who has none of his own did not
// ask for his own alone.
func (c *installer) hosts() (file string, found bool) {
	if c.machine.uid == 0 || c.User {
		return "", false
	}
	s, err := c.machine.service(true)
	if err != nil {
		return "", false
	}
	text, err := os.ReadFile(s.file)
	return s.file, err == nil && ours(text)
}

// tellByHand tells of a daemon that runs without a service, if one does.
func (c *installer) tellByHand() {
	if daemon, runs := c.machine.daemon(); runs {
		c.say(c.Err, note, fmt.Sprintf("a daemon runs that was started by hand (process %d): %s", daemon.PID, killEnds(daemon.PID)))
	}
}

// tellOther tells of a daemon that runs on once the service has been stopped. One that ends
// takes its time.
func (c *installer) tellOther(ctx context.Context) error {
	for range endsWithin {
		if _, runs := c.machine.daemon(); !runs {
			return nil
		}
		if err := c.machine.wait(ctx, time.Second); err != nil {
			return err
		}
	}
	c.tellByHand()
	return nil
}

// endsWithin is the time, in seconds, that the daemon of a service may take to end once its
// manager has said that it is stopped.
const endsWithin = 3

// wrappedFile is what a file is called that wrap has changed, programFile what this program is.
const wrappedFile, programFile = "wrapped", "program"

// staying is what stays when a service is removed, if it is there: files, a pause, and the program.
func (c *installer) staying(ctx context.Context, s service) (stays []stay) {
	for _, kept := range s.stays {
		if isThere(kept.path) {
			stays = append(stays, kept)
		}
	}
	if isThere(s.flags) {
		stays = append(stays, stay{"flags", s.flags, ""})
	}
	if pause, paused, err := c.machine.paused(); paused && err == nil {
		stays = append(stays, stay{"pause", "it is " + pause.Sentence() + "; reaperd resume ends that", ""})
	}
	for _, file := range c.machine.wrapped(ctx) {
		stays = append(stays, stay{wrappedFile, file.Path, startsByExec(file)})
	}
	return append(stays, stay{programFile, c.machine.binary, ""})
}

// foretellStays says what will stay, before a person is asked.
func (c *installer) foretellStays(ctx context.Context, s service) {
	if c.Yes && !c.DryRun { // nobody is asked, and it is told in the end
		return
	}
	var names []string
	for _, kept := range c.staying(ctx, s) {
		name := "the " + kept.what
		switch kept.what {
		case wrappedFile:
			name = "the wrapped clients"
		case programFile:
			name += ", " + kept.path
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	c.say(c.Out, "", "Would leave "+human.List(names))
}

// removeUnreached removes a service whose manager cannot be reached, so that it does not
// start again. It stops nothing.
func (c *installer) removeUnreached(ctx context.Context, s service, why error) error {
	for _, file := range []string{s.link, s.file} {
		if err := removeFile(file); err != nil {
			return err
		}
	}
	c.say(c.Err, "", why.Error())
	c.say(c.Err, "", "Nothing was stopped: a daemon that runs goes on until the user's service manager ends.")
	c.tellStays(ctx, "Removed.", s)
	return nil
}

// tellStays says that a service is gone, and names what of it stays.
func (c *installer) tellStays(ctx context.Context, done string, s service) {
	c.say(c.Out, "", done+" These stay:")
	for _, kept := range c.staying(ctx, s) {
		c.say(c.Out, indent+human.Left(kept.what, 9), strings.TrimRight(kept.path+"   "+kept.more, " "))
	}
}

// removeFile removes a file of a service. A missing file is no error.
func removeFile(file string) error {
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return human.Failed("", "remove service: %w", err)
	}
	return nil
}

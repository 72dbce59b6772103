package demo

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/human"
)

// leaked are the things that claude leaves behind: two servers, and where there are
// containers one of those and its client. The server that ends as it should is none.
func (s *story) leaked() int {
	if s.Demo == "" {
		return 2
	}
	return 4
}

// kill kills claude as the system would that has no memory left.
func (d *director) kill() error {
	d.say("$ kill -9 %d     # %s: a crash, a closed terminal, a machine without memory", d.claude.pid(), claude)
	if err := d.claude.command.Process.Kill(); err != nil {
		return err
	}
	_ = d.claude.command.Wait() // it was killed
	err := d.becomes("the server that ends with its input has ended, and the others run on", func() (bool, error) {
		var err error
		d.left, err = d.living(d.claudes)
		return len(d.left) == len(d.claudes)-1, err
	})
	if err != nil {
		return err
	}
	d.say(`
3. Its github-mcp-server saw the end of its input and ended. The others ignore that, as
   many do: %s live on, and nobody can call them any more.
`, d.aboutLeft())
	d.pause()
	return d.pendingNow()
}

// pendingNow waits until the daemon has all that is left pending.
func (d *director) pendingNow() error {
	return d.until("what is left is pending", func(now *status) bool { return len(now.Pending) == d.leaked() && now.Sessions() == 1 })
}

// wait shows the countdown until nothing is pending.
func (d *director) wait() error {
	if err := d.show("scan", "--dry-run", "--settle", "0"); err != nil {
		return err
	}
	d.say("4. The daemon has seen it too, and waits: what is wrong must have been so for a while.")
	said := ""
	err := d.until("nothing is pending", func(now *status) bool {
		if line := now.countdown(time.Now()); line != said && line != "" {
			d.say("   %s", line)
			said = line
		}
		return len(now.Pending) == 0
	})
	d.say("")
	return err
}

// countdown is what is pending and for how long still, in steps of two seconds.
func (s *status) countdown(now time.Time) string {
	var words []string
	for _, p := range s.Pending {
		if left := p.DueAt.Sub(now).Round(2 * time.Second); left > 0 {
			words = append(words, p.Name+" in "+human.Span(left))
		}
	}
	return strings.Join(words, ", ")
}

// reaped checks in the process table that nothing is left of claude's servers.
func (d *director) reaped() error {
	err := d.becomes("the servers without a client are gone", func() (bool, error) {
		left, err := d.living(d.left)
		return len(left) == 0, err
	})
	if err != nil {
		return err
	}
	if err := d.until("what is left is reaped", func(now *status) bool { return len(now.LastActs) == d.leaked() }); err != nil {
		return err
	}
	if err := d.hasContainers(codex); err != nil {
		return err
	}
	d.say(`5. They are reaped, each whole: npm, the server and the browser below it, which ignored
   SIGTERM%s. Why is written down for each.
`, d.ifContained("; and the container, before its client"))
	return d.show("history")
}

// untouched checks that codex has all its servers, and that they answer.
func (d *director) untouched() error {
	living, err := d.living(d.codexs)
	if err != nil {
		return err
	}
	said, err := d.codex.ask()
	if err != nil {
		return otherwise("%s does not answer: %w", codex, err)
	}
	if len(living) != len(d.codexs) || said != d.allAnswer() {
		return otherwise("of the %d processes below %s %d live, and %s of its servers answer", len(d.codexs), codex, len(living), said)
	}
	d.say(`6. %s was left alone: all %s below it live, and %s servers answer its
   call%s. Two of them have the command lines of what was reaped.
`, codex, human.Count(len(living), "process"), said, d.ifContained(", the one in its container too"))
	return d.show("scan")
}

// next says what a newcomer does next.
func (d *director) next() error {
	d.say(`That was all. The world ends here, and nothing of it is left. What next?

reaperd scan --dry-run   what is left over on this machine; it touches nothing
reaperd install          how the daemon starts by itself`)
	return nil
}

// pending is where a held world stays.
func (d *director) pending() error {
	return d.show("status")
}

// hold leaves the world as it is until it is interrupted.
func (d *director) hold() error {
	d.say(`The world stays as it is until Ctrl-C, what was left pending. To look at it from
another terminal:

REAPERD_STATE_DIR=/proc/%d/root%s reaperd status
REAPERD_STATE_DIR=/proc/%[1]d/root%[2]s reaperd page`, d.Outside, place.state())
	return forever()
}

// runCommand runs the visitor's command in the world. Its exit code is the demo's.
func (d *director) runCommand() error {
	command := exec.Command(d.Command[0], d.Command[1:]...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := command.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		os.Exit(max(1, exit.ExitCode()))
	}
	return err
}

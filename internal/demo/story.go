package demo

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/human"
)

// leaked is how many servers claude leaves behind. The third ends by itself.
const leaked = 2

// kill ends claude with SIGKILL, as the kernel does when memory runs out.
func (d *director) kill() error {
	d.say("$ kill -9 %d     # %s: a crash, a closed terminal, a machine without memory", d.claude.pid(), claude)
	if err := d.claude.kill(); err != nil {
		return err
	}
	err := d.becomes("the server that ends with its input has ended, and the others run on", func() (bool, error) {
		var err error
		d.left, err = d.living(d.claudes)
		return len(d.left) == len(d.claudes)-1, err
	})
	if err != nil {
		return err
	}
	d.say(`
3. Its github-mcp-server saw the end of its input and exited. The others ignore that, as
   many do: %s live on, and nobody can call them any more.
`, human.Count(len(d.left), "process"))
	d.pause()
	return d.pendingNow()
}

// pendingNow waits until the daemon has found everything that claude left.
func (d *director) pendingNow() error {
	return d.until("what is left is pending", func(now *status) bool { return now.Found() == leaked && now.Sessions() == 1 })
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

// countdown lists what is pending and the time left, in steps of two seconds.
func (s *status) countdown(now time.Time) string {
	var words []string
	for _, p := range s.Pending {
		if left := p.DueAt.Sub(now).Round(2 * time.Second); left > 0 {
			words = append(words, p.Name+" in "+human.Span(left))
		}
	}
	return strings.Join(words, ", ")
}

// reaped checks in the process table that claude's servers are gone.
func (d *director) reaped() error {
	err := d.becomes("the servers without a client are gone", func() (bool, error) {
		left, err := d.living(d.left)
		return len(left) == 0, err
	})
	if err != nil {
		return err
	}
	if err := d.until("what is left is reaped", func(now *status) bool { return len(now.LastActs) == leaked }); err != nil {
		return err
	}
	d.say(`5. They are reaped, each whole: npm, the server and the browser below it, which ignored
   SIGTERM. Why is written down for each: reaperd history --all.
`)
	return d.show("history")
}

// untouched checks that all of codex's servers still run and answer.
func (d *director) untouched() error {
	living, err := d.living(d.codexs)
	if err != nil {
		return err
	}
	said, err := d.codex.ask()
	if err != nil {
		return otherwise("%s does not answer: %w", codex, err)
	}
	if len(living) != len(d.codexs) || said != "3 of 3" {
		return otherwise("of the %d processes below %s %d live, and %s of its servers answer", len(d.codexs), codex, len(living), said)
	}
	d.say(`6. %s was left alone: %s servers answer its call, and all %s below it live. Two of them
   have the command lines of what was reaped.
`, codex, said, human.Count(len(living), "process"))
	return d.show("scan")
}

// next tells a newcomer what to do next.
func (d *director) next() error {
	d.say(`That was all. The world ends here, and nothing of it is left. What next?

reaperd scan --dry-run   what is left over on this machine; it touches nothing
reaperd install          how the daemon starts by itself`)
	return nil
}

// pending is the last step of a held world.
func (d *director) pending() error {
	return d.show("status")
}

// hold keeps the world until Ctrl-C.
func (d *director) hold() error {
	d.say(`The world stays as it is until Ctrl-C: what was left stays pending. To look at it from
another terminal:

REAPERD_STATE_DIR=/proc/%d/root%s reaperd status
REAPERD_STATE_DIR=/proc/%[1]d/root%[2]s reaperd page

What these name to type, such as reaperd sweep, is for the world: in the other terminal
it would be about this machine. To have a shell inside of a world: reaperd demo -- sh`, d.Outside, place.state())
	return forever()
}

// runCommand runs the visitor's command in the world and exits with its code.
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

//go:build linux

package hostile_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
)

// The users of the worlds.
const (
	actingCrowd = 1234
	actingLone  = 1235
)

// actingPolicy is the shipped policy with a short schedule and this grace.
func actingPolicy(grace string) string {
	return fmt.Sprintf(`version: 1
extends: builtin
mode: enforce
schedule: "@every 1s"
rules:
  - {name: orphaned-servers, for: 1s, grace: %s}
  - {name: disconnected-servers, for: 1s, grace: %[1]s}
`, grace)
}

// actingCrowdOf describes a number of servers of one user.
type actingCrowdOf struct {
	name   string
	uid    uint32
	number int
	// like is the program that runs under the server's name. does is a shell line that
	// runs before it; $P is the program's path, $W the world's folder.
	like, does string
}

// The shell lines of servers: one sleeps, the other also ignores SIGTERM.
const (
	actingSleeps   = `exec $P 100000`
	actingStubborn = `trap "" TERM; exec $P 100000`
)

// actingOrphans starts servers whose launcher has ended and whose stdin and stdout have no
// other end. Descriptor 3 carries stdin past the shell, which gives /dev/null to the
// processes that it starts in the background.
func actingOrphans(t *testing.T, live *farm.Live, crowd actingCrowdOf) []farm.Being {
	t.Helper()
	program := live.Folder.Path("bin", "mcp-server-"+crowd.name)
	if _, err := os.Stat(program); err != nil {
		actingCopy(t, crowd.like, program)
	}
	launch := fmt.Sprintf(`i=0; while [ $i -lt %d ]; do i=$((i+1)); : | { exec 3<&0; /bin/sh -c '%s' <&3 3<&- 2>/dev/null & } | :; done`, crowd.number, crowd.does)
	command := exec.Command("/bin/sh", "-c", launch)
	command.Env = append(os.Environ(), "W="+string(live.Folder), "P="+program)
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: &syscall.Credential{Uid: crowd.uid, Gid: crowd.uid}}
	if text, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", launch, err, text)
	}
	var found []farm.Being
	farm.Eventually(t, fmt.Sprintf("%d orphans called %s are up", crowd.number, crowd.name), func() bool {
		found = actingNamed(t, "mcp-server-"+crowd.name)
		return len(found) >= crowd.number
	})
	return found
}

func actingCopy(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// actingNamed returns the live processes that run a program of that name. They include
// children that have not called exec yet.
func actingNamed(t *testing.T, program string) []farm.Being {
	t.Helper()
	return actingThat(t, func(argv []string) bool { return filepath.Base(argv[0]) == program })
}

// actingMarked returns the live processes one of whose arguments is the mark.
func actingMarked(t *testing.T, mark string) []farm.Being {
	t.Helper()
	return actingThat(t, func(argv []string) bool { return len(argv) > 1 && argv[1] == mark })
}

func actingThat(t *testing.T, is func(argv []string) bool) []farm.Being {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var found []farm.Being
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		argv, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "cmdline"))
		if err != nil || len(argv) == 0 || !is(strings.Split(string(bytes.TrimRight(argv, "\x00")), "\x00")) {
			continue
		}
		if fields, err := actor.StatOf(pid); err == nil {
			if being := (farm.Being{PID: pid, Start: fields[19]}); being.Alive() {
				found = append(found, being)
			}
		}
	}
	return found
}

// actingAlive counts the live processes among them.
func actingAlive(beings []farm.Being) (alive int) {
	for _, being := range beings {
		if being.Alive() {
			alive++
		}
	}
	return alive
}

// actingBook has the intentions and the outcomes of a journal, by the id of the act.
type actingBook struct {
	intended, ended map[string]journal.Entry
}

// actingJournal reads the journal. It fails the test unless each act has one intention and
// one outcome.
func actingJournal(t *testing.T, d *daemon.Daemon, at string) actingBook {
	t.Helper()
	if at == "" {
		at = filepath.Join(d.State(), journal.FileName)
	}
	book := actingBook{map[string]journal.Entry{}, map[string]journal.Entry{}}
	history := journal.History{Path: at}
	for entry, err := range history.Read(journal.Filter{}) {
		if err != nil {
			t.Fatalf("journal: %v", err)
		}
		into := book.intended
		if entry.Phase == journal.PhaseOutcome {
			into = book.ended
		}
		if _, twice := into[entry.ID]; twice {
			t.Errorf("journal: %s is there twice as %s", entry.ID, entry.Phase)
		}
		into[entry.ID] = entry
	}
	if history.Torn() > 0 {
		t.Errorf("journal: %d lines were cut short", history.Torn())
	}
	for id := range book.intended {
		if _, ended := book.ended[id]; !ended {
			t.Errorf("journal: %s was intended and has no outcome", id)
		}
	}
	for id, entry := range book.ended {
		acted := entry.Result == "exited" || entry.Result == "killed" || entry.Result == "escaped"
		if _, intended := book.intended[id]; acted && !intended {
			t.Errorf("journal: %s was %s and never intended", id, entry.Result)
		}
	}
	return book
}

// actingJournalled returns the lines of the journal so far.
func actingJournalled(d *daemon.Daemon) []string {
	text, err := os.ReadFile(filepath.Join(d.State(), journal.FileName))
	if err != nil || len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// actingActOn returns the id of the act that ended a process.
func actingActOn(t *testing.T, book actingBook, being farm.Being) string {
	t.Helper()
	for id, entry := range book.ended {
		if entry.TargetID == being.String() {
			return id
		}
	}
	t.Fatalf("no act on %s is journalled", being)
	return ""
}

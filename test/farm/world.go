//go:build linux

package farm

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/farm/actor"
	"golang.org/x/sys/unix"
)

// World is one row: the parts that live, that are killed, and that must be reaped.
type World struct {
	// Name is a sentence, and the name of the test.
	Name  string
	First First
	// User is the uid of reaperd.
	User  int
	Parts []actor.Part
	// Kill names the parts to kill with SIGKILL, in this order, once all are up.
	Kill []string
	// Parents names the parent that a part must have afterwards ("init" is the first
	// process): so the row checks itself.
	Parents map[string]string
	// Answers names pairs "ASKER ANSWERER": the asker (a session, relay or client) must
	// get an answer before the sweep and after it.
	Answers []string
	// Reap lists the trees that must go, each as the names of its processes. All other
	// processes must stay.
	Reap []string
	// Either names processes that may go or stay.
	Either []string
	// Findings are the findings that reaperd must have about the targets of parts.
	Findings map[string]string
	// Rules replaces the policy (YAML, the whole file).
	Rules string
	// Settle is the time between reaperd's looks, if the constant Settle is too short.
	Settle time.Duration
	// During runs while reaperd sweeps.
	During func(t *testing.T, live *Live)
}

// Live is a world that has come up.
type Live struct {
	World  World
	Folder actor.Folder
	stage  *actor.Stage
	born   map[string]Being
}

// Being is the identity of one process: its PID and start mark.
type Being struct {
	PID   int
	Start string
	// Container is the id of the container whose first process it is.
	Container string
}

// String returns the identity as reaperd writes it.
func (b Being) String() string { return fmt.Sprintf("%d:%s", b.PID, b.Start) }

// State returns the process's state letter and parent; exists is false if it is gone.
func (b Being) State() (state string, parent int, exists bool) {
	fields, err := actor.StatOf(b.PID)
	if err != nil || fields[19] != b.Start {
		return "", 0, false
	}
	parent, err = strconv.Atoi(fields[1])
	return fields[0], parent, err == nil
}

// Alive reports whether it runs. A zombie whose other threads run is alive.
func (b Being) Alive() bool {
	fields, err := actor.StatOf(b.PID)
	if err != nil || fields[19] != b.Start {
		return false
	}
	return fields[0] != "X" && (fields[0] != "Z" || fields[17] != "1")
}

// Run starts the world in namespaces of its own, lets reaperd sweep it, and compares the
// world with the row.
func Run(t *testing.T, world World) {
	t.Helper()
	Within(t, world, func(t *testing.T, live *Live) {
		live.KillAll(t, world.Kill)
		live.Check(t)
	})
}

// Within starts the world in namespaces of its own and runs body there.
func Within(t *testing.T, world World, body func(t *testing.T, live *Live)) {
	t.Helper()
	Inside(t, world.First, func(t *testing.T) { body(t, Raise(t, world)) })
}

// Check checks that the world matches its row, runs a sweep, and compares the world with
// the row again.
func (l *Live) Check(t *testing.T) {
	t.Helper()
	l.checkParents(t)
	l.checkStreams(t)
	l.checkAnswers(t)
	if t.Failed() {
		t.Fatal("the world is not what its row says")
	}
	l.sweep(t)
}

// Raise starts a world.
func Raise(t *testing.T, world World) *Live {
	t.Helper()
	live := &Live{World: world, Folder: actor.Folder(os.Getenv(envWorld)), born: map[string]Being{}}
	live.stage = &actor.Stage{Folder: live.Folder}
	live.Start(t, world.Parts)
	return live
}

// Start starts further parts and waits until they are up.
func (l *Live) Start(t *testing.T, parts []actor.Part) {
	t.Helper()
	if err := linkAll(l.Folder, parts); err != nil {
		t.Fatal(err)
	}
	if err := l.stage.Start(parts, false); err != nil {
		t.Fatal(err)
	}
	actor.Walk(parts, func(part *actor.Part) {
		being := l.registered(t, part.Name)
		l.born[part.Name] = being
		if part.Does == actor.Launcher {
			Eventually(t, part.Name+" has ended", func() bool { return !being.Alive() })
		}
	})
}

// linkAll links the actor under every name that the parts need.
func linkAll(folder actor.Folder, parts []actor.Part) (err error) {
	original := folder.Path("bin", ".actor")
	if _, missing := os.Stat(original); missing != nil {
		err = duplicate(Program("actor"), original)
	}
	actor.Walk(parts, func(part *actor.Part) {
		path := folder.Exe(part)
		if _, missing := os.Lstat(path); err != nil || missing == nil || !part.Plays() {
			return
		}
		if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
			err = os.Link(original, path)
		}
	})
	return err
}

// registered returns the process that plays a part.
func (l *Live) registered(t *testing.T, name string) Being {
	t.Helper()
	text, err := l.Folder.Await(name+".pid", actor.Patience)
	if err != nil {
		t.Fatal(err)
	}
	number, start, _ := strings.Cut(text, " ")
	pid, err := strconv.Atoi(number)
	if err != nil {
		t.Fatalf("part %s: %v", name, err)
	}
	return Being{PID: pid, Start: start}
}

// Being returns the process that plays a part.
func (l *Live) Being(t *testing.T, name string) Being {
	t.Helper()
	being, ok := l.born[name]
	if !ok {
		t.Fatalf("no part is called %q", name)
	}
	return being
}

// Adopt gives a name to a process that no part plays.
func (l *Live) Adopt(name string, being Being) { l.born[name] = being }

// KillAll ends parts with SIGKILL one after the other, each when the previous one is gone
// or a zombie.
func (l *Live) KillAll(t *testing.T, names []string) {
	t.Helper()
	for _, name := range names {
		being := l.Being(t, name)
		if err := unix.Kill(being.PID, unix.SIGKILL); err != nil {
			t.Fatalf("kill %s: %v", name, err)
		}
		Eventually(t, name+" is dead", func() bool { return !being.Alive() })
	}
}

// Dismiss kills a part. Later checks ignore it.
func (l *Live) Dismiss(t *testing.T, name string) {
	t.Helper()
	l.KillAll(t, []string{name})
	delete(l.born, name)
}

// Overlook makes later checks ignore some parts.
func (l *Live) Overlook(names ...string) {
	for _, name := range names {
		delete(l.born, name)
	}
}

// Eventually waits until holds is true.
func Eventually(t *testing.T, claim string, holds func() bool) {
	t.Helper()
	EventuallyWithin(t, actor.Patience, claim, holds)
}

// EventuallyWithin is [Eventually] with its own time limit.
func EventuallyWithin(t *testing.T, patience time.Duration, claim string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("after %s still not so: %s", patience, claim)
		}
		<-time.After(10 * time.Millisecond)
	}
}

func (l *Live) checkParents(t *testing.T) {
	t.Helper()
	for _, name := range sorted(l.World.Parents) {
		want := 1
		if parent := l.World.Parents[name]; parent != "init" {
			want = l.Being(t, parent).PID
		}
		being := l.Being(t, name)
		Eventually(t, fmt.Sprintf("the parent of %s is %s", name, l.World.Parents[name]), func() bool {
			_, parent, exists := being.State()
			return exists && parent == want
		})
	}
}

// checkStreams checks that stdin and stdout are of the kinds in the row.
func (l *Live) checkStreams(t *testing.T) {
	t.Helper()
	actor.Walk(l.World.Parts, func(part *actor.Part) {
		being := l.Being(t, part.Name)
		if !being.Alive() || part.LeaderEnds {
			return
		}
		for descriptor, stream := range []actor.Stream{part.Stdin, part.Stdout} {
			path := fmt.Sprintf("/proc/%d/fd/%d", being.PID, descriptor)
			want, told := kinds[stream]
			Eventually(t, fmt.Sprintf("descriptor %d of %s is %s", descriptor, part.Name, stream), func() bool {
				got, err := os.Readlink(path)
				return !told || !being.Alive() || strings.HasPrefix(got, want) && (err == nil || stream == actor.Closed)
			})
		}
	})
}

// kinds are the beginnings of the descriptors' links in /proc.
var kinds = map[actor.Stream]string{
	actor.Null: os.DevNull, actor.TTY: "/dev/pts/", actor.Pipe: "pipe:[", actor.Socket: "socket:[", actor.Closed: "",
}

// checkAnswers makes every asker in the row ask.
func (l *Live) checkAnswers(t *testing.T) {
	t.Helper()
	asked := map[string]actor.Answers{}
	for _, line := range l.World.Answers {
		asker, answerer, ok := strings.Cut(line, " ")
		if !ok {
			t.Fatalf("answers %q: want ASKER ANSWERER", line)
		}
		if _, done := asked[asker]; !done {
			asked[asker] = l.ask(t, asker)
		}
		if !asked[asker].From[answerer] {
			t.Errorf("%s gets no answer from %s", asker, answerer)
		}
	}
}

// sorted returns the keys of a map in order.
func sorted[V any](of map[string]V) []string {
	keys := make([]string, 0, len(of))
	for key := range of {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

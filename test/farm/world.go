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

// World is one row: what lives, what is killed, what must be reaped.
type World struct {
	// Name is a sentence: it is the name of the test.
	Name  string
	First First
	// User is the uid that reaperd runs as.
	User  int
	Parts []actor.Part
	// Kill names what is killed with SIGKILL, in this order, once all is up.
	Kill []string
	// Parents names who must be the parent of a part after that ("init" is the
	// first process): the row's own check that it is what it says.
	Parents map[string]string
	// Answers names whom a session, relay or client must get an answer from,
	// before the sweep and after it, as "ASKER ANSWERER".
	Answers []string
	// Reap is the trees that must go, each the names of its processes.
	// Everything else that is alive must stay.
	Reap []string
	// Either names what may go or stay: both are right.
	Either []string
	// Findings is what must be found about the target of a part.
	Findings map[string]string
	// Rules replaces the default rules of the policy (YAML, the whole file).
	Rules string
	// Settle is how far apart reaperd's looks are, where Settle is too short.
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

// Being is one process for ever: its PID and start mark.
type Being struct {
	PID   int
	Start string
	// Container is the id of the container whose first process it is.
	Container string
}

// String is the being as reaperd names it.
func (b Being) String() string { return fmt.Sprintf("%d:%s", b.PID, b.Start) }

// State is the process's state letter and parent, or false when it is gone.
func (b Being) State() (state string, parent int, exists bool) {
	fields, err := actor.StatOf(b.PID)
	if err != nil || fields[19] != b.Start {
		return "", 0, false
	}
	parent, err = strconv.Atoi(fields[1])
	return fields[0], parent, err == nil
}

// Alive reports whether it runs; a zombie whose other threads run does.
func (b Being) Alive() bool {
	fields, err := actor.StatOf(b.PID)
	if err != nil || fields[19] != b.Start {
		return false
	}
	return fields[0] != "X" && (fields[0] != "Z" || fields[17] != "1")
}

// Run brings the world up in namespaces of its own, lets reaperd sweep it, and
// checks what became of it.
func Run(t *testing.T, world World) {
	t.Helper()
	Inside(t, world.First, func(t *testing.T) {
		live := Raise(t, world)
		live.KillAll(t, world.Kill)
		live.Check(t)
	})
}

// Check makes sure that the world is what its row says, has reaperd sweep it,
// and compares what became of it with the row.
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

// Raise brings a world up.
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

// linkAll puts the actor in place under every name that the parts run under.
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

// registered is the being that plays a part.
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

// Being is the process that plays a part.
func (l *Live) Being(t *testing.T, name string) Being {
	t.Helper()
	being, ok := l.born[name]
	if !ok {
		t.Fatalf("no part is called %q", name)
	}
	return being
}

// Adopt names a process that no part plays.
func (l *Live) Adopt(name string, being Being) { l.born[name] = being }

// KillAll ends parts with SIGKILL one after the other, each only when the one
// before it is gone or a zombie.
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

// Dismiss ends a part that the row no longer speaks of.
func (l *Live) Dismiss(t *testing.T, name string) {
	t.Helper()
	l.KillAll(t, []string{name})
	delete(l.born, name)
}

// Overlook drops parts that nothing more is asked about.
func (l *Live) Overlook(names ...string) {
	for _, name := range names {
		delete(l.born, name)
	}
}

// Eventually waits until a claim holds.
func Eventually(t *testing.T, claim string, holds func() bool) {
	t.Helper()
	EventuallyWithin(t, actor.Patience, claim, holds)
}

// EventuallyWithin is [Eventually] for what takes long.
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

// checkStreams makes sure that stdin and stdout are of the kind the row says.
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

// kinds is how the links of descriptors begin.
var kinds = map[actor.Stream]string{
	actor.Null: os.DevNull, actor.TTY: "/dev/pts/", actor.Pipe: "pipe:[", actor.Socket: "socket:[", actor.Closed: "",
}

// checkAnswers asks everybody the row names.
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

// sorted are the keys of a map in order.
func sorted[V any](of map[string]V) []string {
	keys := make([]string, 0, len(of))
	for key := range of {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

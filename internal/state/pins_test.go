package state

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

var (
	noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	full = strings.Repeat("c0ffee", 10) + "1234" // a container's full id
)

func tree(uid int, ids ...inventory.ID) *graph.Target {
	t := &graph.Target{ID: ids[0].String(), Kind: graph.KindServer, Name: "playwright-mcp", UID: inventory.Known(uid)}
	for _, id := range ids {
		t.Members = append(t.Members, &inventory.Process{PID: id.PID, Start: id.Start})
	}
	t.Root = t.Members[0]
	return t
}

func container(id string) *graph.Target {
	return &graph.Target{ID: id, Kind: graph.KindContainer, Name: "github", Container: &inventory.Container{ID: id}}
}

func freshDir(t *testing.T) Dir { return Dir(filepath.Join(t.TempDir(), "state", "reaperd")) }

func mustPin(t *testing.T, d Dir, pins ...Pin) {
	t.Helper()
	if err := d.Pin(os.Geteuid(), "boot-1", noon, pins...); err != nil {
		t.Fatal(err)
	}
}

func TestAPinKeepsOneTreeAndNothingElse(t *testing.T) {
	pinnedTree := tree(1000, inventory.ID{PID: 56, Start: 100}, inventory.ID{PID: 57, Start: 101})
	runner := tree(1000, inventory.ID{PID: 70, Start: 100})
	runner.Containers = []string{full}
	ofRunner := container(full)
	ofRunner.Runner = runner.ID
	other := container(strings.Repeat("ab", 32))

	for _, c := range []struct {
		name   string
		pin    Pin
		boot   string
		at     time.Time
		target *graph.Target
		want   bool
	}{
		{"the tree that was pinned", PinOf(pinnedTree, "boot-1"), "boot-1", noon, pinnedTree, true},
		{"what is left of it when its root has ended", PinOf(pinnedTree, "boot-1"), "boot-1", noon, tree(1000, inventory.ID{PID: 57, Start: 101}), true},
		{"a tree by one process inside it", PinOfProcess(inventory.ID{PID: 57, Start: 101}, "node", "boot-1"), "boot-1", noon, pinnedTree, true},
		{"a new process with the same number", PinOf(pinnedTree, "boot-1"), "boot-1", noon, tree(1000, inventory.ID{PID: 56, Start: 900}), false},
		{"another copy of the same name", PinOf(pinnedTree, "boot-1"), "boot-1", noon, tree(1000, inventory.ID{PID: 58, Start: 100}), false},
		{"the same identity after a reboot", PinOf(pinnedTree, "boot-1"), "boot-2", noon, pinnedTree, false},
		{"a boot that could not be told", PinOf(pinnedTree, "boot-1"), "", noon, pinnedTree, true},
		{"a moment before it ends", Pin{ID: "56:100", Until: noon.Add(time.Hour)}, "boot-1", noon.Add(time.Hour - 1), pinnedTree, true},
		{"the moment it ends", Pin{ID: "56:100", Until: noon.Add(time.Hour)}, "boot-1", noon.Add(time.Hour), pinnedTree, false},
		{"a container", PinOf(ofRunner, "boot-1"), "boot-1", noon, ofRunner, true},
		{"a container after a reboot", PinOf(ofRunner, "boot-1"), "boot-2", noon, ofRunner, true},
		{"another container", PinOf(ofRunner, "boot-1"), "boot-1", noon, other, false},
		{"the runner of a pinned container", PinOf(ofRunner, "boot-1"), "boot-1", noon, runner, true},
		{"the container of a pinned runner", PinOf(runner, "boot-1"), "boot-1", noon, ofRunner, true},
		{"the container of a pinned runner that is gone", PinOf(runner, "boot-1"), "boot-1", noon, container(full), true},
		{"a container without a runner, with only trees pinned", PinOf(pinnedTree, "boot-1"), "boot-1", noon, other, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := freshDir(t)
			mustPin(t, d, c.pin)
			isPinned, err := d.Pinned(c.boot, c.at)
			if err != nil {
				t.Fatal(err)
			}
			pin, got := isPinned(c.target)
			if got != c.want || got == (pin.Why == "") {
				t.Errorf("pinned %v (%q), want %v", got, pin.Why, c.want)
			}
		})
	}
}

func TestAPinSaysWhetherAnotherThingWasPinned(t *testing.T) {
	run := tree(1000, inventory.ID{PID: 56, Start: 100}, inventory.ID{PID: 57, Start: 101})
	run.Containers = []string{full}
	box := container(full)
	box.Runner = run.ID
	left := container(full) // its docker run has exited
	for _, c := range []struct {
		name   string
		pin    Pin
		target *graph.Target
		of     string
	}{
		{"the docker run itself", PinOf(run, "boot-1"), run, ""},
		{"a process of it", PinOfProcess(inventory.ID{PID: 57, Start: 101}, "docker", "boot-1"), run, ""},
		{"what is left of a pinned tree", PinOf(run, "boot-1"), tree(1000, inventory.ID{PID: 57, Start: 101}), ""},
		{"the container of a pinned docker run", PinOf(run, "boot-1"), box, run.ID},
		{"the same after the docker run has exited", PinOf(run, "boot-1"), left, run.ID},
		{"the container itself", PinOf(left, "boot-1"), box, ""},
		{"the docker run of a pinned container", PinOf(left, "boot-1"), run, full},
	} {
		d := freshDir(t)
		mustPin(t, d, c.pin)
		pinOf, err := d.Pinned("boot-1", noon)
		if err != nil {
			t.Fatal(err)
		}
		if pin, pinned := pinOf(c.target); !pinned || pin.Of != c.of {
			t.Errorf("%s: pinned %v, of %q, want %q", c.name, pinned, pin.Of, c.of)
		}
	}
}

// TestWhatIsPinnedItselfIsNotKeptForAnother: a docker run and its container, each with a pin.
func TestWhatIsPinnedItselfIsNotKeptForAnother(t *testing.T) {
	for _, id := range []string{full, "0" + full[1:]} { // one is behind 56:100 in the file's order, one before
		run, box := tree(1000, inventory.ID{PID: 56, Start: 100}), container(id)
		run.Containers, box.Runner = []string{id}, run.ID
		d := freshDir(t)
		mustPin(t, d, PinOf(run, "boot-1"), PinOf(box, "boot-1"))
		pinOf, err := d.Pinned("boot-1", noon)
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range []*graph.Target{run, box} {
			if pin, pinned := pinOf(target); !pinned || pin.Of != "" {
				t.Errorf("%s is pinned %v, of %q, want it pinned itself", target.ID, pinned, pin.Of)
			}
		}
	}
}

func TestNoFileIsNothingPinned(t *testing.T) {
	d := freshDir(t)
	isPinned, err := d.Pinned("boot-1", noon)
	if err != nil {
		t.Fatal(err)
	}
	if _, got := isPinned(tree(1000, inventory.ID{PID: 56, Start: 100})); got {
		t.Error("nothing was pinned")
	}
	if _, err := os.Stat(string(d)); !os.IsNotExist(err) {
		t.Error("reading made a directory")
	}
}

func TestAFileThatCannotBeTrustedKeepsEverything(t *testing.T) {
	write := func(text string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name string
		make func(t *testing.T, path string)
		want string
	}{
		{"cut off in the middle", write(`{"version":1,"pins":[{"id":"56:1`), "damaged"},
		{"empty", write(""), "damaged"},
		{"of a version to come", write(`{"version":2,"pins":[]}`), "version 2"},
		{"of another kind", write(`{"version":1,"pins":{"56":true}}`), "damaged"},
		{"edited by hand, with a bare PID", write(`{"version":1,"pins":[{"id":"56"}]}`), `pins[0]: id "56"`},
		{"edited by hand, with no id", write(`{"version":1,"pins":[{"name":"x"}]}`), "id is missing"},
		{"larger than any", write(strings.Repeat(" ", maxFile+1)), "larger than"},
		{"one that others can write", func(t *testing.T, path string) {
			write(`{"version":1,"pins":[]}`)(t, path)
			if err := os.Chmod(path, 0o666); err != nil {
				t.Fatal(err)
			}
		}, "others can write it"},
		{"a link to somewhere", func(t *testing.T, path string) {
			write(`{"version":1,"pins":[]}`)(t, path+".real")
			if err := os.Symlink(path+".real", path); err != nil {
				t.Fatal(err)
			}
		}, "symbolic link"},
		{"a pipe that nobody writes to", func(t *testing.T, path string) {
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
		}, "no regular file"},
		{"a directory", func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, "no regular file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := Dir(t.TempDir())
			c.make(t, d.path(pinsFile))
			isPinned, err := d.Pinned("boot-1", noon)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), d.path(pinsFile)) {
				t.Errorf("want an error with %q and the file, got %v", c.want, err)
			}
			if pin, kept := isPinned(container(full)); !kept || pin.Why == "" {
				t.Error("what is pinned is not known, and something was not kept")
			}
			if err := d.Pin(os.Geteuid(), "boot-1", noon, Pin{ID: "56:100"}); err == nil {
				t.Error("a file that could not be read was replaced")
			}
		})
	}
}

func TestWhatNoLongerHoldsIsDroppedWithTheNextChange(t *testing.T) {
	d := freshDir(t)
	mustPin(t, d, Pin{ID: "1:1", BootID: "boot-0"}, Pin{ID: "2:2", BootID: "boot-1", Until: noon.Add(time.Minute)},
		Pin{ID: "3:3", BootID: "boot-1"}, Pin{ID: full})
	if err := d.Pin(os.Geteuid(), "boot-1", noon.Add(time.Hour), Pin{ID: "4:4", BootID: "boot-1"}); err != nil {
		t.Fatal(err)
	}
	var document pinsDocument
	if err := d.read(pinsFile, os.Geteuid(), &document); err != nil {
		t.Fatal(err)
	}
	if got, want := idsOf(document.Pins), []string{"3:3", full, "4:4"}; !reflect.DeepEqual(got, want) {
		t.Errorf("the file holds %v, want %v", got, want)
	}
}

func TestASecondPinOfTheSameThingReplacesTheFirst(t *testing.T) {
	d := freshDir(t)
	mustPin(t, d, Pin{ID: "3:3", Until: noon.Add(time.Minute)})
	mustPin(t, d, Pin{ID: "3:3", Reason: "a demo"})
	pins, err := d.Pins("boot-1", noon.Add(time.Hour))
	if err != nil || len(pins) != 1 || pins[0].Reason != "a demo" || pins[0].By != os.Geteuid() || !pins[0].At.Equal(noon) {
		t.Errorf("got %+v, %v", pins, err)
	}
}

func TestUnpinRemovesWhatIsChosen(t *testing.T) {
	d := freshDir(t)
	mustPin(t, d, Pin{ID: "3:3"}, Pin{ID: "4:4"})
	removed, err := d.Unpin("boot-1", noon, func(p Pin) bool { return p.ID == "4:4" })
	if err != nil || !reflect.DeepEqual(idsOf(removed), []string{"4:4"}) {
		t.Errorf("removed %v, %v", removed, err)
	}
	left, err := d.Pins("boot-1", noon)
	if err != nil || !reflect.DeepEqual(idsOf(left), []string{"3:3"}) {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestPinsOfSeveralWritersAllArrive(t *testing.T) {
	d := freshDir(t)
	var writers sync.WaitGroup
	for i := range 16 {
		writers.Go(func() {
			if err := d.Pin(os.Geteuid(), "boot-1", noon, Pin{ID: fmt.Sprintf("%d:1", i+10)}); err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	if pins, err := d.Pins("boot-1", noon); err != nil || len(pins) != 16 {
		t.Errorf("%d pins, %v", len(pins), err)
	}
}

func TestPinsAreBounded(t *testing.T) {
	d := freshDir(t)
	many := make([]Pin, maxPins+1)
	for i := range many {
		many[i].ID = fmt.Sprintf("%d:1", i+1)
	}
	if err := d.Pin(os.Geteuid(), "boot-1", noon, many...); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("got %v", err)
	}
	if pins, err := d.Pins("boot-1", noon); err != nil || len(pins) != 0 {
		t.Errorf("a refused change left %d pins, %v", len(pins), err)
	}
}

func TestOnlyTheOwnerReadsTheFiles(t *testing.T) {
	d := freshDir(t)
	mustPin(t, d, Pin{ID: "3:3"})
	if err := d.Pause(noon, Pause{}); err != nil {
		t.Fatal(err)
	}
	held, err := d.Lock(noon)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if info, err := os.Stat(string(d)); err != nil || info.Mode().Perm() != privateDir {
		t.Errorf("directory: %v, %v", info.Mode(), err)
	}
	entries, err := os.ReadDir(string(d))
	if err != nil || len(entries) != 4 {
		t.Errorf("files: %v, %v", entries, err)
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err != nil || info.Mode().Perm() != privateFile {
			t.Errorf("%s: %v, %v", entry.Name(), info.Mode(), err)
		}
	}
}

func TestAReasonStaysOneLineOfPlainSigns(t *testing.T) {
	pin := Pin{By: os.Geteuid(), Until: noon, Reason: "a \x1b[2Jdemo\nfor " + strings.Repeat("x", 5000)}
	got := pin.Sentence()
	if strings.ContainsAny(got, "\x1b\n") || len(got) > 2*mostReason+100 || !strings.HasPrefix(got, "reaperd pin keeps it until "+human.Moment(noon.Local())+": a ?[2Jdemo for x") {
		t.Errorf("got %q", got)
	}
}

func TestAPinOfAnotherUserSaysWhose(t *testing.T) {
	for by, want := range map[int]string{0: "root", 4_000_111: "4000111"} {
		if by == os.Geteuid() {
			by, want = 65534, "nobody"
		}
		pin := Pin{By: by}
		if got := pin.Sentence(); got != "reaperd pin of "+want+" keeps it" {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func idsOf(pins []Pin) []string {
	var ids []string
	for _, pin := range pins {
		ids = append(ids, pin.ID)
	}
	return ids
}

func TestAPinSaysWhoseItWas(t *testing.T) {
	for want, owner := range map[string]graph.Owner{
		"":                              {},
		"codex 55":                      {Name: "codex", ID: inventory.ID{PID: 55, Start: 1}, Liveness: graph.LivenessLive},
		"claude-code 13, which is gone": {Name: "claude-code", ID: inventory.ID{PID: 13, Start: 1}, Liveness: graph.LivenessGone},
		"systemd":                       {Name: "systemd"},
	} {
		if got := PinOf(&graph.Target{ID: "7:70", Owner: owner}, "boot").Owner; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

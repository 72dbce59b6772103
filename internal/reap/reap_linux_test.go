package reap

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/test/eventually"
)

// quick are waits for tests that must see a grace run out; the others take the
// default, which is long enough for a slow machine.
var quick = Options{Grace: 300 * time.Millisecond, SettleContainers: 100 * time.Millisecond}

func reaper(options Options) *Reaper {
	return &Reaper{Processes: host{}, Evidence: holds(""), Options: options}
}

// patient are waits that only run out when something is wrong.
var patient = Options{Grace: 30 * time.Second, SettleContainers: 30 * time.Second, KillWait: 30 * time.Second}

func TestTreesThatEnd(t *testing.T) {
	for _, row := range []struct {
		name    string
		script  string
		sleeps  int
		options Options
		want    human.Result
	}{
		{"it obeys", "sleep 60 & sleep 60 & wait", 2, patient, human.Exited},
		{"it ignores being asked, with its children", `trap "" TERM; sleep 60 & sleep 60 & while :; do wait; done`, 2, quick, human.Killed},
		{"a child that leads a session of its own", `setsid sleep 60 & wait`, 1, patient, human.Exited},
		{"a child that ignores it although its parent obeys", `trap "" TERM; sleep 60 & trap - TERM; wait`, 1, quick, human.Killed},
		{"a handler starts a child in another session and lingers", `trap "setsid sleep 60 & sleep 1; exit" TERM; sleep 60 & while :; do wait; done`, 1, Options{Grace: 3 * time.Second}, human.Killed},
		{"a parent that has zombies", "sleep 0 & sleep 0 & exec sleep 60", 0, patient, human.Exited},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := start(t, row.script, row.sleeps)
			act := w.act("a")
			got := reaper(row.options).Execute(t.Context(), []Act{act})
			wantResults(t, got, "a="+string(row.want))
			wantGone(t, act.Members)
			if len(got[0].Survivors) > 0 {
				t.Errorf("survivors: %v", got[0].Survivors)
			}
		})
	}
}

// A fork storm is what every order of signals but the frozen one loses against.
func TestNothingOfAForkStormIsLeft(t *testing.T) {
	for i, row := range []struct{ name, before string }{
		{"in one session", ""},
		{"each in a session of its own", "setsid "},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := mark(t, 61, i)
			storm := `trap "" TERM; n=0; while [ $n -lt 1000 ]; do ` + row.before + `sleep ` + m + ` & n=$((n+1)); done; while :; do wait; done`
			w := start(t, storm, 3)
			act := w.act("a")
			act.Grace = 50 * time.Millisecond
			wantResults(t, reaper(Options{KillWait: 30 * time.Second, FreezeWait: 30 * time.Second}).Execute(t.Context(), []Act{act}), "a=killed")
			wantGone(t, act.Members)
			if left := marked(t, m); len(left) > 0 {
				t.Errorf("%d processes of the storm live on", len(left))
			}
		})
	}
}

// unseen is a table in which children born after the plan show only when they
// have been adopted: the parent was faster than any look.
type unseen struct {
	planned []inventory.ID
}

func (u unseen) Table() ([]inventory.Row, error) {
	table, err := host{}.Table()
	now := newTable(time.Time{}, table)
	var family func(row inventory.Row) bool
	family = func(row inventory.Row) bool {
		parent, ok := now.rows[row.PPID]
		return ok && (slices.Contains(u.planned, parent.ID) || family(parent))
	}
	return slices.DeleteFunc(table, func(row inventory.Row) bool {
		return !slices.Contains(u.planned, row.ID) && family(row)
	}), err
}

func TestWhatLeavesTheTreeUnseenIsEndedWhereItIsProven(t *testing.T) {
	kin := func(m string, kinship Kinship) func(context.Context, Act, inventory.ID) Kinship {
		return func(_ context.Context, _ Act, id inventory.ID) Kinship {
			var argv []byte
			eventually.Holds(t, "the stray is through its exec", func() bool { // in the middle of which it has no arguments
				argv, _ = os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", id.PID))
				return len(argv) > 0
			})
			if strings.Contains(string(argv), m) {
				return kinship
			}
			return Stranger
		}
	}
	for i, row := range []struct {
		name   string
		setsid string
		kin    Kinship
		want   human.Result
	}{
		{"it stays in the session that the root leads", "", Stranger, human.Killed},
		{"it leads a session of its own and is proven to be kin", "setsid ", Proven, human.Killed},
		{"it leads a session of its own and is likely to be kin", "setsid ", Likely, human.Escaped},
		{"it leads a session of its own and nothing tells", "setsid ", Stranger, human.Exited},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := mark(t, 62, i)
			ready := t.TempDir() + "/ready"
			handler := `trap '` + row.setsid + `/bin/sh -c "echo > ` + ready + `; exec sleep ` + m + `" & while ! [ -e ` + ready + ` ]; do :; done; exit' TERM; `
			w := start(t, handler+"sleep 60 & while :; do wait; done", 1, func(cmd *exec.Cmd) {
				cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			})
			act := w.act("a")
			r := reaper(patient)
			r.Processes = unseen{planned: act.Members}
			if row.kin != Stranger {
				r.Kin = kin(m, row.kin)
			}
			got := r.Execute(t.Context(), []Act{act})
			wantResults(t, got, "a="+string(row.want))
			wantGone(t, act.Members)
			if row.want == human.Killed {
				if left := marked(t, m); len(left) > 0 {
					t.Errorf("%v left the tree and lives", left)
				}
				return
			}
			var stray []inventory.ID
			eventually.Holds(t, "the stray lives", func() bool {
				stray = marked(t, m)
				return len(stray) == 1
			})
			if row.want == human.Escaped && !slices.Equal(got[0].Survivors, stray) {
				t.Errorf("survivors: got %v, want %v", got[0].Survivors, stray)
			}
		})
	}
}

func TestWhatIsLeftAloneRunsOn(t *testing.T) {
	for _, row := range []struct {
		name   string
		adjust func(*Reaper, *Act)
		want   human.Result
	}{
		{"the evidence no longer holds", func(r *Reaper, _ *Act) { r.Evidence = holds("somebody reads its stdout again") }, human.Changed},
		{"nobody looks at the evidence again", func(r *Reaper, _ *Act) { r.Evidence = nil }, human.Refused},
		{"a child of it must be kept", func(r *Reaper, a *Act) {
			child := a.Members[1]
			a.Members = a.Members[:1] // it was born after the plan
			r.Untouchable = func(id inventory.ID) bool { return id == child }
		}, human.Changed},
		{"a planned member must be kept", func(r *Reaper, a *Act) {
			child := a.Members[1]
			r.Untouchable = func(id inventory.ID) bool { return id == child }
		}, human.Changed},
		{"its root was another process", func(_ *Reaper, a *Act) {
			a.Root.Start--
			a.Members[0] = a.Root
		}, human.Changed},
		{"the table cannot be read", func(r *Reaper, _ *Act) { r.Processes = &failing{at: 1} }, human.ResultFailed},
		{"the table cannot be read any more when it is half frozen", func(r *Reaper, _ *Act) { r.Processes = &failing{at: 3} }, human.ResultFailed},
		{"reading the table panics when it is half frozen", func(r *Reaper, _ *Act) { r.Processes = &failing{at: 3, panics: true} }, human.ResultFailed},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := start(t, "sleep 60 & sleep 60 & wait", 2)
			tree := w.members()
			r, act := reaper(quick), w.act("a")
			row.adjust(r, &act)
			wantResults(t, r.Execute(t.Context(), []Act{act}), "a="+string(row.want))
			wantUntouched(t, tree)
		})
	}
}

// failing is a table that fails, or calls a function, at the nth reading.
type failing struct {
	at     int
	panics bool
	call   func()
	n      int
}

func (f *failing) Table() ([]inventory.Row, error) {
	if f.n++; f.n < f.at {
		return host{}.Table()
	}
	if f.panics {
		panic("the table made no sense")
	}
	if f.call != nil {
		f.call()
		return host{}.Table()
	}
	return nil, errors.New("read /proc: permission denied")
}

func TestAnInterruptedFreezeLeavesNobodyStopped(t *testing.T) {
	for at := 1; at <= 4; at++ {
		t.Run(fmt.Sprintf("at reading %d", at), func(t *testing.T) {
			w := start(t, "sleep 60 & sleep 60 & wait", 2)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			r := reaper(quick)
			r.Processes = &failing{at: at, call: cancel}
			wantResults(t, r.Execute(ctx, []Act{w.act("a")}), "a=refused")
			wantUntouched(t, w.members())
		})
	}
}

func TestAnInterruptedGraceLeavesNobodyStoppedAndSaysSo(t *testing.T) {
	asked, wait := readyFile(t)
	w := start(t, `trap "`+asked+`" TERM; sh -c 'trap "" TERM; while :; do sleep 60; done' & while :; do wait; done`, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan []Outcome, 1)
	go func() { done <- reaper(patient).Execute(ctx, []Act{w.act("a")}) }()
	wait()
	cancel()
	got := <-done
	wantResults(t, got, "a=failed")
	if len(got[0].Survivors) < 2 {
		t.Errorf("survivors: got %v, want both shells", got[0].Survivors)
	}
	wantUntouched(t, w.members())
}

func TestAProcessThatWasStoppedBefore(t *testing.T) {
	stopped := func(t *testing.T) *world {
		w := start(t, "exec sleep 60", 0)
		if err := w.cmd.Process.Signal(unix.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		eventually.Holds(t, "it stands", func() bool { return state(t, w.root) == 'T' })
		return w
	}
	t.Run("stays so when it is left alone", func(t *testing.T) {
		w := stopped(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r := reaper(quick)
		r.Processes = &failing{at: 3, call: cancel}
		wantResults(t, r.Execute(ctx, []Act{w.act("a")}), "a=refused")
		if got := state(t, w.root); got != 'T' {
			t.Errorf("state %c, want it stopped as before", got)
		}
	})
	t.Run("is let run to end when it is asked", func(t *testing.T) {
		w := stopped(t)
		wantResults(t, reaper(patient).Execute(t.Context(), []Act{w.act("a")}), "a=exited")
		wantGone(t, []inventory.ID{w.root})
	})
}

func TestAProcessThatHadEnded(t *testing.T) {
	w := start(t, "exec sleep 60", 0)
	act := w.act("a")
	endAll(t, act.Members)
	_ = w.cmd.Wait()
	wantResults(t, reaper(quick).Execute(t.Context(), []Act{act}), "a=already gone")
}

// An idle session is watched for seconds before it is asked to end. Whoever ends it meanwhile has ended it.
func TestAProcessThatEndsWhileItsEvidenceIsWatched(t *testing.T) {
	w := start(t, "sleep 60 & wait", 1)
	act := w.act("a")
	memory := uint64(1 << 20)
	for _, id := range act.Members {
		act.Record.Tree = append(act.Record.Tree, journal.Process{PID: id.PID, Start: id.Start, MemoryBytes: &memory})
	}
	r := reaper(patient)
	r.Evidence = ends(func() {
		endAll(t, act.Members)
		_ = w.cmd.Wait()
		eventually.Holds(t, "all of it has ended", func() bool {
			return !slices.ContainsFunc(act.Members, func(id inventory.ID) bool { return alive(t, id) })
		})
	})
	got := r.Execute(t.Context(), []Act{act})
	wantResults(t, got, "a=already gone")
	if got[0].FreedBytes != 0 || got[0].Detail != "it had exited before it was asked" {
		t.Errorf("%d bytes freed: %s", got[0].FreedBytes, got[0].Detail)
	}
}

// ends is evidence that holds, and is looked at while something happens.
type ends func()

func (e ends) StillHolds(context.Context, Act) (bool, string) {
	e()
	return true, ""
}

func TestATreeThatLostItsRootIsJudgedAnew(t *testing.T) {
	w := start(t, "sleep 60 & sleep 60 & wait", 2)
	act := w.act("a")
	t.Cleanup(func() { endAll(t, act.Members) })
	endAll(t, act.Members[:1])
	_ = w.cmd.Wait()
	wantResults(t, reaper(quick).Execute(t.Context(), []Act{act}), "a=changed")
	wantUntouched(t, act.Members[1:])
}

// reuse starts a stranger under the PID of a world that it ends, and returns it.
func reuse(t *testing.T, w *world) *world {
	t.Helper()
	ticks := func() bool { // the kernel's start marks are 10 ms apart
		var now unix.Timespec
		_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &now)
		return uint64(now.Nano()/10_000_000) > w.root.Start+1
	}
	eventually.Holds(t, "the victim is older than a tick", ticks)
	_ = w.cmd.Process.Kill()
	_ = w.cmd.Wait()
	for range 50 {
		if err := os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte(strconv.Itoa(w.root.PID-1)), 0); err != nil {
			t.Skip("the kernel gives PIDs only in its own order here:", err)
		}
		stranger := start(t, "exec sleep 60", 0)
		if stranger.root.PID == w.root.PID {
			return stranger
		}
	}
	t.Skip("another process kept taking the PID")
	return nil
}

func TestAStrangerWithTheSamePIDLives(t *testing.T) {
	if !inSandbox() {
		t.Skip("forcing a PID to be reused needs root and a PID namespace")
	}
	for _, row := range []struct {
		name string
		want human.Result
		when func(r *Reaper, reuse func())
	}{
		{"reused before the handle is opened", human.Changed, func(r *Reaper, reuse func()) { reuse() }},
		{"reused between the handle and the look", human.Changed, func(r *Reaper, reuse func()) { r.Processes = &failing{at: 1, call: sync.OnceFunc(reuse)} }},
		{"reused between the look and the freeze", human.AlreadyGone, func(r *Reaper, reuse func()) { r.Evidence = asks(func(Act) { reuse() }) }},
		{"reused while it is frozen", human.AlreadyGone, func(r *Reaper, reuse func()) { r.Processes = &failing{at: 3, call: sync.OnceFunc(reuse)} }},
		{"reused in its grace", human.Exited, func(r *Reaper, reuse func()) { r.Processes = &failing{at: 6, call: sync.OnceFunc(reuse)} }},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := start(t, `trap "" TERM; while :; do read x </dev/zero; done`, 0)
			act := w.act("a")
			r := reaper(patient)
			var stranger *world
			row.when(r, func() { stranger = reuse(t, w) })
			got := r.Execute(t.Context(), []Act{act})
			if row.want != human.Exited || got[0].Result != human.AlreadyGone { // on a busy machine it may have exited before it was asked
				wantResults(t, got, "a="+string(row.want))
			}
			if stranger == nil {
				t.Fatal("the PID was never reused")
			}
			wantUntouched(t, []inventory.ID{stranger.root})
		})
	}
}

func TestALeaderThatHasEndedWithThreadsThatLiveOnIsAlive(t *testing.T) {
	w := startCommand(t, self("headless"), 0)
	eventually.Holds(t, "its leading thread is a zombie", func() bool { return state(t, w.root) == 'Z' })
	got := reaper(Options{Grace: time.Second, KillWait: 30 * time.Second}).Execute(t.Context(), []Act{{ID: "a", Root: w.root}})
	if got[0].Result != human.Exited && got[0].Result != human.Killed {
		t.Errorf("got %s (%s), want it ended", got[0].Result, got[0].Detail)
	}
	if err := w.cmd.Wait(); err == nil {
		t.Error("it ended by itself, want a signal")
	}
}

func TestAnotherUsersProcessIsAFailureAndRunsOn(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("starting another user's process needs root")
	}
	as := func(uid uint32) func(*exec.Cmd) {
		return func(cmd *exec.Cmd) {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		}
	}
	w := start(t, "sleep 60 & wait", 1, as(61001))
	cmd := self("reap")
	as(61002)(cmd)
	cmd.Env = append(cmd.Env, "REAP_TEST_TARGET="+w.root.String())
	cmd.Stdout = nil
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(string(out)); got != "failed true" {
		t.Errorf("got %q, want it failed and a rehearsal that says so", got)
	}
	wantUntouched(t, w.members())
}

// reapAsUser is the child of that test: the reaper under another user's id.
func reapAsUser(target string) int {
	root, err := inventory.ParseID(target)
	if err != nil {
		return 1
	}
	r := reaper(quick)
	outcome := r.Execute(context.Background(), []Act{{ID: "a", Root: root}})[0]
	fmt.Println(outcome.Result, errors.Is(r.Rehearse([]inventory.ID{root})[0], unix.EPERM))
	return 0
}

func TestWhatWasLeftStoppedGoesOn(t *testing.T) {
	w := start(t, "sleep 60 & wait", 1)
	if err := w.cmd.Process.Signal(unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	state := func() byte { return hostTable(t).rows[w.root.PID].State }
	eventually.Holds(t, "it stands still", func() bool { return state() == 'T' })
	another := inventory.ID{PID: w.root.PID, Start: w.root.Start + 1}
	if continued, err := reaper(quick).Continue([]inventory.ID{another}); err != nil || len(continued) > 0 || state() != 'T' {
		t.Errorf("the PID of another process: continued %v, %v", continued, err)
	}
	continued, err := reaper(quick).Continue(w.members())
	if err != nil || len(continued) != 1 || continued[0] != w.root {
		t.Errorf("continued %v, %v", continued, err)
	}
	eventually.Holds(t, "it runs again", func() bool { return state() != 'T' })
}

func TestRehearseHarmsNobody(t *testing.T) {
	w := start(t, "sleep 60 & wait", 1)
	gone := inventory.ID{PID: w.root.PID, Start: w.root.Start + 1}
	for i, err := range reaper(quick).Rehearse([]inventory.ID{w.root, gone}) {
		if err != nil {
			t.Errorf("process %d: %v", i, err)
		}
	}
	wantUntouched(t, w.members())
}

func TestManyTreesShareTheirGrace(t *testing.T) {
	const trees, together = 12, 6
	var acts []Act
	var all []inventory.ID
	for i := range trees {
		w := start(t, `trap "" TERM; sleep 60 & while :; do wait; done`, 1)
		acts = append(acts, w.act(fmt.Sprint(i)))
		all = append(all, w.members()...)
	}
	var arrived sync.WaitGroup
	arrived.Add(together)
	var mu sync.Mutex
	seen := 0
	r := reaper(Options{Grace: 100 * time.Millisecond, KillWait: 30 * time.Second, Concurrency: together})
	r.Evidence = asks(func(Act) { // the first ones wait for each other: they are here at the same time
		mu.Lock()
		seen++
		first := seen <= together
		mu.Unlock()
		if first {
			arrived.Done()
			arrived.Wait()
		}
	})
	for _, outcome := range r.Execute(t.Context(), acts) {
		if outcome.Result != human.Killed {
			t.Errorf("%s: %s: %s", outcome.ActID, outcome.Result, outcome.Detail)
		}
	}
	wantGone(t, all)
}

func TestAContainersRunner(t *testing.T) {
	// runner waits for its stdin to close, as `docker run -i` does for its
	// container to end, and leaves a trace when it is signalled.
	runner := func(t *testing.T) (w *world, exits func(), signalled func() bool) {
		trace := t.TempDir() + "/signalled"
		reads, writes, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { writes.Close() })
		ready, wait := readyFile(t)
		w = start(t, `trap "echo > `+trace+`; exit" TERM; `+ready+`read x`, 0, func(cmd *exec.Cmd) { cmd.Stdin = reads })
		wait()
		reads.Close()
		return w, func() { writes.Close() }, func() bool {
			_, err := os.Stat(trace)
			return err == nil
		}
	}
	plan := func(w *world) []Act {
		act := w.act("runner")
		act.After = []string{"a"}
		act.Record.Tree = []journal.Process{{PID: w.root.PID, Start: w.root.Start, MemoryBytes: new(uint64(4096))}}
		return []Act{act, container("a")}
	}
	t.Run("exits by itself after the container and is never signalled", func(t *testing.T) {
		w, exits, signalled := runner(t)
		r := reaper(patient)
		r.Containers = &engine{onStop: func(string) { exits() }}
		got := r.Execute(t.Context(), plan(w))
		wantResults(t, got, "runner=exited a=exited")
		if signalled() || got[0].FreedBytes != 4096 {
			t.Errorf("signalled %v, freed %d", signalled(), got[0].FreedBytes)
		}
	})
	t.Run("that stays is ended like any tree, after its container", func(t *testing.T) {
		w, _, signalled := runner(t)
		r := reaper(Options{Grace: 30 * time.Second, SettleContainers: 50 * time.Millisecond})
		r.Containers = &engine{onStop: func(string) { wantUntouched(t, w.members()) }}
		wantResults(t, r.Execute(t.Context(), plan(w)), "runner=exited a=exited")
		eventually.Holds(t, "it was asked to end", signalled)
	})
	t.Run("is kept when the container could not be ended", func(t *testing.T) {
		w, _, signalled := runner(t)
		r := reaper(quick)
		r.Containers = &engine{broken: map[string]error{containerID("a"): errors.New("no answer")}}
		wantResults(t, r.Execute(t.Context(), plan(w)), "runner=refused a=failed")
		wantUntouched(t, w.members())
		if signalled() {
			t.Error("it was signalled")
		}
	})
}

func TestAGateway(t *testing.T) {
	type scene struct {
		gateway, below *world
		engine         *engine
		plan           []Act
	}
	// The gateway has two children: one is a server of its own, one a helper.
	set := func(t *testing.T) scene {
		gateway := start(t, "sleep 60 & (sleep 60; :) & wait", 2)
		members := gateway.members()
		now := hostTable(t)
		server := &world{t: t}
		for _, row := range now.children[gateway.root.PID] {
			if len(now.children[row.ID.PID]) > 0 {
				server.root = row.ID
			}
		}
		below := server.members()
		act := gateway.act("g")
		act.Kind, act.Below = "gateway", []string{"a", "s"}
		act.Members = slices.DeleteFunc(members, func(id inventory.ID) bool { return slices.Contains(below, id) })
		return scene{gateway, server, &engine{}, []Act{server.act("s"), container("a"), act}}
	}
	t.Run("is frozen while what lies below it is ended, and then ended", func(t *testing.T) {
		s := set(t)
		all := s.gateway.members()
		frozen := false
		s.engine.onStop = func(string) { frozen = state(t, s.gateway.root) == 'T' && state(t, s.below.root) != 'T' }
		r := reaper(patient)
		r.Containers, r.Options.Concurrency = s.engine, 1 // waiting must not take the only slot
		wantResults(t, r.Execute(t.Context(), s.plan), "s=exited a=exited g=exited")
		if !frozen {
			t.Error("the gateway alone should have been stopped when its container was ended")
		}
		wantGone(t, all)
	})
	t.Run("that is left alone keeps everything below it", func(t *testing.T) {
		s := set(t)
		r := reaper(quick)
		r.Containers = s.engine
		r.Evidence = only{"g": "its session is back"}
		wantResults(t, r.Execute(t.Context(), s.plan), "s=changed a=changed g=changed")
		wantUntouched(t, s.gateway.members())
		if len(s.engine.log) > 0 {
			t.Errorf("the engine was asked %v", s.engine.log)
		}
	})
	t.Run("ends although what lies below it is left, which lives on", func(t *testing.T) {
		s := set(t)
		below := s.below.members()
		t.Cleanup(func() { endAll(t, below) })
		r := reaper(patient)
		r.Containers = s.engine
		r.Evidence = only{"s": "it is in use"}
		wantResults(t, r.Execute(t.Context(), s.plan), "s=changed a=exited g=exited")
		wantUntouched(t, below)
	})
	t.Run("that is gone already does not keep what lay below it", func(t *testing.T) {
		s := set(t)
		below := s.below.members()
		t.Cleanup(func() { endAll(t, below) })
		endAll(t, s.plan[2].Members)
		_ = s.gateway.cmd.Wait()
		eventually.Holds(t, "its helper has ended", func() bool {
			return !slices.ContainsFunc(s.plan[2].Members, func(id inventory.ID) bool { return alive(t, id) })
		})
		r := reaper(patient)
		r.Containers = s.engine
		wantResults(t, r.Execute(t.Context(), s.plan), "s=exited a=exited g=already gone")
		wantGone(t, below)
	})
}

// only is evidence that holds but for the acts it names, and says why.
type only map[string]string

func (o only) StillHolds(_ context.Context, act Act) (bool, string) {
	why, not := o[act.ID]
	return !not, why
}

func TestNoHandleStaysOpen(t *testing.T) {
	open := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("cannot count open files:", err)
		}
		return len(entries)
	}
	var acts []Act
	for i := range 4 {
		w := start(t, "sleep 60 & wait", 1)
		acts = append(acts, w.act(fmt.Sprint(i)))
	}
	before := open()
	r := reaper(patient)
	r.Evidence = only{"1": "changed"}
	wantResults(t, r.Execute(t.Context(), acts), "0=exited 1=changed 2=exited 3=exited")
	if after := open(); after > before {
		t.Errorf("%d files open, %d before", after, before)
	}
}

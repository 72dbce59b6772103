package graph

import (
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// at is a look some time after noon.
func at(d time.Duration) inventory.Moment {
	return inventory.Moment{At: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC).Add(d)}
}

// ran is a process that has used so much processor time and input and output.
func ran(pid int, cpu float64, io uint64) *inventory.Process {
	return &inventory.Process{PID: pid, Start: uint64(pid), State: "S", CPUSeconds: inventory.Known(cpu), IOChars: inventory.Known(io)}
}

// since is a process that started at a moment.
func since(pid int, started inventory.Moment) *inventory.Process {
	p := ran(pid, 0, 0)
	p.StartedAt = started.At
	return p
}

// events is a process of a system that counts those and no characters.
func events(pid int, count uint64) *inventory.Process {
	p := ran(pid, 5, 0)
	p.IOChars, p.KernelEvents = inventory.Fact[uint64]{}, inventory.Known(count)
	return p
}

// own are the client's own processes.
func own(processes ...*inventory.Process) *Work {
	return &Work{Processes: processes, own: len(processes)}
}

func working(processes ...*inventory.Process) *Work { return &Work{Processes: processes} }

func TestWhatIsUseAndWhatIsATrickle(t *testing.T) {
	typed := ran(44, 5, 1000)
	typed.TTYUsedAt = at(25 * time.Second).At
	unread := ran(44, 5, 1000)
	unread.IOChars = inventory.Unreadable[uint64]()
	for _, row := range []struct {
		world string
		apart time.Duration
		next  *Work
		want  Sign
	}{
		{"nothing was done", 30 * time.Second, working(ran(44, 5, 1000)), ""},
		{"the timers of an idle client, and a ping", 30 * time.Second, working(ran(44, 5.03, 1288)), ""},
		{"a little more than a hundredth of a core", 30 * time.Second, working(ran(44, 5.31, 1000)), SignProcessor},
		{"a call a second to a server", 30 * time.Second, working(ran(44, 5.03, 7000)), SignIO},
		{"a tick between two looks in a hurry is a trickle", time.Second, working(ran(44, 5.01, 1000)), ""},
		{"work between two looks in a hurry is not", time.Second, working(ran(44, 5.2, 1000)), SignProcessor},
		{"a minute of work in hours that nobody looked at", 4 * time.Hour, working(ran(44, 65, 1000)), SignProcessor},
		{"hours of timers that nobody looked at cannot be told from work", 4 * time.Hour, working(ran(44, 19, 1000)), SignProcessor},
		{"a process that has started", 30 * time.Second, working(ran(44, 5, 1000), ran(60, 0, 0)), SignStarted},
		{"a process that ran before and was not seen", 30 * time.Second, working(ran(44, 5, 1000), since(60, at(-time.Minute))), SignUnknown},
		{"a process that has started in the moment of the look before", 30 * time.Second, working(ran(44, 5, 1000), since(60, at(-500*time.Millisecond))), SignStarted},
		{"a process that has ended", 30 * time.Second, working(), SignExited},
		{"another process under the same PID", 30 * time.Second, working(&inventory.Process{PID: 44, Start: 99, CPUSeconds: inventory.Known(0.0), IOChars: inventory.Known(uint64(0))}), SignStarted},
		{"somebody has typed", 30 * time.Second, working(typed), SignTerminal},
		{"a connection", 30 * time.Second, &Work{Processes: working(ran(44, 5, 1000)).Processes, Busy: []Use{{Sign: SignConnections, PID: 44}}}, SignConnections},
		{"what a client's timers call the kernel for", 30 * time.Second, own(events(44, 2400)), ""},
		{"a client that is at work, where characters are not counted", 30 * time.Second, own(events(44, 3500)), SignCalls},
		{"a server that is asked every two seconds there", 30 * time.Second, working(events(44, 1300)), SignCalls},
		{"a server that rests there", 30 * time.Second, working(events(44, 1080)), ""},
		{"what cannot be measured", 30 * time.Second, working(unread), SignUnknown},
	} {
		before := ran(44, 5, 1000)
		if len(row.next.Processes) > 0 && row.next.Processes[0].KernelEvents.IsKnown() {
			before = events(44, 1000)
		}
		activity := Activity{}.Next(working(before), at(0)).Next(row.next, at(row.apart))
		idle, known := activity.Idle().Get()
		if activity.Last.Sign != row.want || known != (row.want == "") || known && idle != row.apart {
			t.Errorf("%s: %v, idle for %s (%v)", row.world, activity.Last, idle, known)
		}
	}
}

// TestWhatWasSeenComesBeforeWhatCouldNotBeMeasured: it is in use all the same, and said to be.
func TestWhatWasSeenComesBeforeWhatCouldNotBeMeasured(t *testing.T) {
	unread := ran(60, 0, 0)
	unread.CPUSeconds, unread.IOChars = inventory.Unreadable[float64](), inventory.Unreadable[uint64]()
	before := working(unread, ran(44, 5, 1000))
	connected := working(unread, ran(44, 5, 1000))
	connected.Busy = []Use{{Sign: SignUnknown, PID: 60}, {Sign: SignConnections, PID: 44}}
	for _, row := range []struct {
		world string
		next  *Work
		want  Use
	}{
		{"nothing else was seen", before, Use{Sign: SignUnknown, PID: 60}},
		{"another process has worked", working(unread, ran(44, 9, 1000)), Use{Sign: SignProcessor, PID: 44}},
		{"another has a connection", connected, Use{Sign: SignConnections, PID: 44}},
		{"another has started", working(unread, ran(44, 5, 1000), ran(61, 0, 0)), Use{Sign: SignStarted, PID: 61}},
	} {
		activity := Activity{}.Next(before, at(0)).Next(row.next, at(30*time.Second))
		if activity.Last != row.want || activity.Idle().IsKnown() {
			t.Errorf("%s: %+v, idle %v", row.world, activity.Last, activity.Idle())
		}
	}
}

func TestForHowLongItHadDoneNothingAtTheLastLook(t *testing.T) {
	const seconds30 = 30 * time.Second
	quiet, works, unread := working(ran(44, 5, 1000)), working(ran(44, 9, 1000)), working(ran(44, 5, 1000))
	unread.Processes[0].IOChars = inventory.Unreadable[uint64]()
	for _, row := range []struct {
		world string
		looks []*Work // half a minute apart
		want  inventory.Fact[time.Duration]
	}{
		{"nobody has looked", nil, inventory.Fact[time.Duration]{}},
		{"one look tells nothing", []*Work{quiet}, inventory.Fact[time.Duration]{}},
		{"two looks saw it do nothing", []*Work{quiet, quiet}, inventory.Known(seconds30)},
		{"it works", []*Work{quiet, works}, inventory.Known(time.Duration(0))},
		{"it has worked, and one look since saw it do nothing", []*Work{quiet, works, works}, inventory.Known(seconds30)},
		{"it could not be measured", []*Work{quiet, unread}, inventory.Fact[time.Duration]{}},
		{"it is measured again, and one look tells nothing", []*Work{quiet, unread, quiet}, inventory.Fact[time.Duration]{}},
	} {
		var activity Activity
		for i, look := range row.looks {
			activity = activity.Next(look, at(time.Duration(i)*seconds30))
		}
		if got := activity.AtLook(); got != row.want {
			t.Errorf("%s: %v, want %v", row.world, got, row.want)
		}
	}
}

func TestSinceWhenItIsIdle(t *testing.T) {
	quiet, worked := working(ran(44, 5, 1000)), working(ran(44, 9, 1000))
	activity := Activity{}.Next(quiet, at(0)).Next(quiet, at(time.Minute))
	if idle := activity.Idle().Or(0); idle != time.Minute || !activity.AtLeast {
		t.Errorf("from the first look on: idle for %s, at least %v", idle, activity.AtLeast)
	}
	activity = activity.Next(worked, at(2*time.Minute))
	if activity.Idle().IsKnown() {
		t.Error("in use, and idle")
	}
	activity = activity.Next(worked, at(3*time.Minute)).Next(worked, at(5*time.Minute))
	if idle := activity.Idle().Or(0); idle != 3*time.Minute || activity.AtLeast || activity.Last.Sign != SignProcessor {
		t.Errorf("after use: idle for %s, at least %v, %v", idle, activity.AtLeast, activity.Last)
	}
}

func TestWorkIsSeenHoweverOftenItIsLookedAt(t *testing.T) {
	activity := Activity{}
	for second := range 60 { // a twentieth of a core
		activity = activity.Next(working(ran(44, float64(second)/20, 0)), at(time.Duration(second)*time.Second))
	}
	if idle := activity.Idle().Or(0); idle > 3*time.Second {
		t.Errorf("a twentieth of a core, looked at every second: idle for %s", idle)
	}
}

func TestAnUnmeasuredLookBeginsAnew(t *testing.T) {
	unread := ran(44, 5, 1000)
	unread.CPUSeconds = inventory.Fact[float64]{}
	quiet := working(ran(44, 5, 1000))
	activity := Activity{}.Next(quiet, at(0)).Next(quiet, at(time.Hour)).Next(working(unread), at(2*time.Hour))
	activity = activity.Next(quiet, at(3*time.Hour)).Next(quiet, at(4*time.Hour))
	if idle := activity.Idle().Or(0); idle > 2*time.Hour {
		t.Errorf("idle for %s over a look that could not measure it", idle)
	}
}

func TestTheSleepOfTheHostIsNoIdleness(t *testing.T) {
	awake := func(d time.Duration, seconds float64) inventory.Moment {
		m := at(d)
		m.Awake = inventory.Known(seconds)
		return m
	}
	quiet := working(ran(44, 5, 1000))
	activity := Activity{}.Next(quiet, awake(0, 100)).Next(quiet, awake(8*time.Hour, 160))
	if idle := activity.Idle().Or(0); idle != time.Minute {
		t.Errorf("a night in suspend: idle for %s", idle)
	}
}

func TestATerminalThatIsTypedOnIsNeverIdleForLong(t *testing.T) {
	activity, longest := Activity{}, time.Duration(0)
	for second := 0; second < 120; second += 2 { // the kernel writes the time down every eight seconds
		p := ran(44, 5, 1000)
		p.TTYUsedAt = at(time.Duration(second/8*8) * time.Second).At
		activity = activity.Next(working(p), at(time.Duration(second)*time.Second))
		longest = max(longest, activity.Idle().Or(0))
	}
	if longest > 0 {
		t.Errorf("typed on every two seconds: idle for %s", longest)
	}
}

// TestWhenItWasLastUsedIsKnownThoughNotAllOfItCanBeMeasured, and nothing is decided by it.
func TestWhenItWasLastUsedIsKnownThoughNotAllOfItCanBeMeasured(t *testing.T) {
	at := func(s int) inventory.Moment {
		return inventory.Moment{At: time.Date(2026, 11, 26, 9, 0, s, 0, time.UTC)}
	}
	works := func(cpu float64) *Work {
		measured := &inventory.Process{PID: 1, Start: 1, CPUSeconds: inventory.Known(cpu), IOChars: inventory.Known(uint64(0))}
		return &Work{Processes: []*inventory.Process{measured, {PID: 2, Start: 1, CPUSeconds: inventory.Unreadable[float64]()}}}
	}
	a := Activity{}.Next(works(0), at(0)).Next(works(9), at(10))
	used := a.UsedAt
	if a = a.Next(works(9), at(20)); a.Last.Sign != SignUnknown || !used.Equal(at(10).At) || !a.UsedAt.Equal(used) {
		t.Errorf("last %+v, used at %s, then %s", a.Last, used, a.UsedAt)
	}
}

package status

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/trigger"
)

func TestStatusTellsWhatCameOfWhatWasFound(t *testing.T) {
	due := serve.Count{Finding: graph.FindingOrphaned, Kind: graph.KindServer, Client: "codex", Decision: "reap", Number: 3}
	gone, removed := due, due
	gone.Gone = true
	removed.Action = policy.ActionRemove
	kept := serve.Count{Finding: graph.FindingOrphaned, Kind: graph.KindServer, Client: "codex", Decision: "keep", Number: 3}
	ends := kept
	ends.Ends = true
	begun := due
	begun.Action, begun.UnderWay = policy.ActionTerminate, true
	endsBegun := ends
	endsBegun.UnderWay = true
	for _, c := range []struct {
		count  serve.Count
		mode   policy.Mode
		paused bool
		want   string
	}{
		{due, policy.ModeEnforce, false, "about to be stopped"},
		{gone, policy.ModeEnforce, false, "gone now"},
		{kept, policy.ModeEnforce, false, "left alone"},
		{due, policy.ModeReport, false, "would be stopped, but the mode is report"},
		{due, policy.ModeEnforce, true, "would be stopped, but it is paused"},
		{removed, policy.ModeReport, false, "would be removed, but the mode is report"},
		{removed, policy.ModeEnforce, false, "about to be removed"},
		{ends, policy.ModeEnforce, false, "ending with their containers"},
		{ends, policy.ModeReport, false, "would end with their containers, but the mode is report"},
		{gone, policy.ModeEnforce, true, "gone now"},
		{begun, policy.ModeEnforce, true, "being stopped"},
		{endsBegun, policy.ModeEnforce, true, "ending with their containers"},
	} {
		is := serve.State{Ready: true, LastSweep: &serve.Sweep{}, Findings: []serve.Count{c.count}, Mode: c.mode, Paused: c.paused}
		var out strings.Builder
		if err := Write(&out, &is, View{Now: time.Now(), Width: 200}); err != nil {
			t.Fatal(err)
		}
		if want := "found     3 servers of codex, orphaned: " + c.want + "\n"; !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}

func TestStatusTellsWhatOfWhatIsInUseRulesStop(t *testing.T) {
	for _, row := range []struct {
		is   serve.State
		want string
	}{
		{serve.State{TargetsInUse: 7, ContainersInUse: new(0)}, "7 servers"},
		{serve.State{TargetsInUse: 7, ContainersInUse: new(7)}, "7 containers"},
		{serve.State{TargetsInUse: 7, ContainersInUse: new(2), TargetsInUseGoing: 2}, "5 servers and 2 containers, and rules stop 2 of them"},
		{serve.State{TargetsInUse: 1, ContainersInUse: new(1), TargetsInUseGoing: 1}, "1 container, and rules stop it"},
		{serve.State{ContainersInUse: new(0), TargetsMaybeInUse: 3}, "no servers; 3 may be"},
		{serve.State{TargetsInUse: 7}, "7 servers and containers"}, // from a daemon that does not tell more
		{serve.State{TargetsInUse: 3, TargetsMaybeInUse: 3}, "3 servers and containers; 3 more may be"},
		{serve.State{TargetsMaybeInUse: 3}, "0 servers and containers; 3 may be"},
		{serve.State{TargetsInUse: 7, TargetsInUseGoing: 7}, "7 servers and containers, and rules stop all of them"},
		{serve.State{TargetsInUse: 7, TargetsInUseGoing: 2, TargetsMaybeInUse: 1}, "7 servers and containers, and rules stop 2 of them; 1 more may be"},
		{serve.State{TargetsInUse: 1, TargetsInUseGoing: 1, Mode: policy.ModeReport}, "1 server or container, and rules would stop it"},
	} {
		row.is.Ready = true
		if got := inUseText(&row.is); got != row.want {
			t.Errorf("%q, want %q", got, row.want)
		}
	}
}

func TestStatusNamesWhatStaysAndWhatNeedNotWait(t *testing.T) {
	pinned := serve.Stay{Name: "fetch", Handle: "22", Owner: "codex 13", Finding: graph.FindingOrphaned, Why: "reaperd pin keeps it: a demo"}
	reported := serve.Stay{Name: "clock", Handle: "31", Finding: graph.FindingOrphaned, Why: `rule "listening-orphans" only reports it`}
	session := serve.Stay{Name: "claude-code", Handle: "12", Holds: "2 servers", Why: "reaperd pin keeps it"}
	orphan := serve.Pending{ID: "40:1", Name: "git", Rule: "orphaned-servers", AtOnce: true}
	gateway := serve.Pending{ID: "50:1", Name: "docker-mcp", Rule: "zombie-gateways"}
	held := []serve.Pending{{ID: "41:1", Name: "fetch", Rule: "r", MemoryBytes: 40_000_000}, {ID: "0a", Name: "gitlab", Rule: "c", Container: "keen_bell", Owner: "codex 13"}}
	kept := []serve.Count{{Finding: graph.FindingOrphaned, Kind: graph.KindServer, Decision: "keep", Number: 2}}
	due := []serve.Count{{Finding: graph.FindingOrphaned, Kind: graph.KindServer, Decision: "reap", Number: 2}}
	for _, row := range []struct {
		world     string
		is        serve.State
		want, not []string
	}{
		{"two orphans that stay, and a pinned session", serve.State{Findings: kept, Stays: []serve.Stay{pinned, reported, session}}, []string{
			"stays     fetch 22 of codex 13 is orphaned: reaperd pin keeps it: a demo\n",
			"          clock 31 is orphaned: rule \"listening-orphans\" only reports it\n",
			"          claude-code 12 with 2 servers: reaperd pin keeps it\n",
			"why       reaperd explain 22\n",
		}, []string{"found"}},
		{"an older daemon, which names nothing", serve.State{Findings: kept}, []string{"found     2 servers, orphaned: left alone\n"}, []string{"stays"}},
		{"twelve of them", serve.State{Stays: slices.Repeat([]serve.Stay{reported}, 12)}, []string{"          and 2 more: reaperd scan\n"}, nil},
		{"only what nobody owns is pending", serve.State{Pending: []serve.Pending{orphan}}, []string{"stop now  reaperd sweep --now\n"}, nil},
		{"a gateway is pending too, and it waits", serve.State{Pending: []serve.Pending{orphan, gateway}}, []string{"stop now  reaperd sweep --now 40\n"}, nil},
		{"a gateway of a session that lives", serve.State{Pending: []serve.Pending{{ID: "50:1", Name: "docker-mcp", Rule: "zombie-gateways", Owner: "claude-code 44"}}}, []string{"pending   docker-mcp 50 of claude-code 44 (rule zombie-gateways)\n"}, nil},
		{"a docker run waits for its container", serve.State{Pending: []serve.Pending{{ID: "41:1", Name: "gitlab", Rule: "r", WaitsFor: "0a"}, {ID: "0a", Name: "gitlab", Rule: "c", Container: "keen_bell"}}},
			[]string{"pending   gitlab 41 (rule r; it waits for its container keen_bell)\n", "          gitlab keen_bell (rule c)\n"}, nil},
		{"a gateway alone", serve.State{Pending: []serve.Pending{gateway}}, nil, []string{"stop now"}},
		{"the mode is report", serve.State{Mode: policy.ModeReport, Pending: []serve.Pending{{ID: "40:1", Name: "git", Rule: "r", AtOnce: true, DueAt: time.Now().Add(-time.Second)}}}, []string{
			"pending   git 40 due, but the mode is report (rule r)\n", "keep one  reaperd pin 40\n", "stop now  reaperd sweep --mode enforce --now\n"}, nil},
		{"how much it holds", serve.State{Pending: []serve.Pending{{ID: "40:1", Name: "git", Rule: "r", MemoryBytes: 1_300_000}}}, []string{"pending   git 40, 1.3 MB (rule r)\n"}, nil},
		{"a program that is no client left them", serve.State{Findings: []serve.Count{{Finding: graph.FindingOrphaned, Kind: graph.KindServer, Client: "other", Program: "myagent", SessionPIDs: []int{1939}, Decision: "pending", Number: 2}}},
			[]string{"found     2 servers of myagent 1939, orphaned: pending\n"}, []string{"other"}},
		{"in mode report two are due, and each is named", serve.State{Mode: policy.ModeReport, Findings: due, Due: held}, []string{
			"due       fetch 41, 40 MB (rule r)\n          gitlab keen_bell of codex 13 (rule c)\n", "keep one  reaperd pin 41\n", "stop now  reaperd sweep --mode enforce\n"}, nil},
		{"the pause ends before it is due", serve.State{Mode: policy.ModeEnforce, Paused: true, PausedUntil: time.Now().Add(time.Minute), Pending: []serve.Pending{{ID: "40:1", Name: "git", Rule: "r", DueAt: time.Now().Add(2 * time.Minute)}}}, []string{"pending   git 40 in 2m, after the pause (rule r)\n"}, nil},
		{"the pause ends later", serve.State{Mode: policy.ModeEnforce, Paused: true, PausedUntil: time.Now().Add(time.Hour), Pending: []serve.Pending{{ID: "40:1", Name: "git", Rule: "r", DueAt: time.Now().Add(2 * time.Minute)}}}, []string{"pending   git 40 due in 2m, but it is paused (rule r)\n"}, nil},
		{"while it is paused twelve are due, and one is pending", serve.State{Paused: true, Due: slices.Repeat(held[:1], 12), Pending: []serve.Pending{orphan}}, []string{
			"          and 2 more\npending   git 40 (rule orphaned-servers)\n", "keep one  reaperd pin 41\n"}, []string{"stop now"}},
		{"an older copy that a rule soon stops", serve.State{Mode: policy.ModeEnforce, Resting: []serve.Pending{{ID: "46:1", Name: "memory", Rule: "duplicates", Owner: "codex 41", DueAt: time.Now().Add(4*time.Minute - time.Second/2)}, {ID: "47:1", Name: "git", Rule: "duplicates", DueAt: time.Now().Add(time.Hour)}}}, []string{
			"soon      memory 46 of codex 41 with the first look after 4m if it goes on doing nothing (rule duplicates): reaperd pin 46 keeps it\n"}, []string{"git 47"}},
		{"and is paused", serve.State{Mode: policy.ModeEnforce, Paused: true, Resting: []serve.Pending{{ID: "46:1", Name: "memory", Rule: "duplicates", DueAt: time.Now()}}}, nil, []string{"soon "}},
		{"two are due and about to end", serve.State{Findings: due, Due: held}, nil, []string{"\ndue", "keep one"}},
		{"in mode report two are due and nothing is pending", serve.State{Mode: policy.ModeReport, Findings: due}, []string{"would be stopped, but the mode is report\n", "stop now  reaperd sweep --mode enforce\n"}, nil},
		{"in mode report two are due and a third is pending", serve.State{Mode: policy.ModeReport, Findings: due, Pending: []serve.Pending{orphan, gateway}}, []string{"stop now  reaperd sweep --mode enforce --now\n"}, nil},
		{"two are about to be reaped", serve.State{Findings: due, UnderWay: []serve.Begun{{Target: "40:1", Name: "git", Rule: "r", Imminent: true}}}, []string{
			"found     2 servers, orphaned: about to be stopped\n", "acting    1 act under way: git 40 is about to be stopped (rule r)\n"}, []string{"stop now"}},
		{"a server and a container are being stopped", serve.State{UnderWay: []serve.Begun{{Target: "40:1", Name: "git", Rule: "r"}, {Target: "0123456789abcdef"}}}, []string{
			"acting    2 acts under way: git 40 is being stopped (rule r), and 1 more\n"}, nil},
		{"a container is being removed", serve.State{
			UnderWay: []serve.Begun{{Target: "0123456789abcdef", Name: "git", Handle: "eager_fermi", Kind: graph.KindContainer, Rule: "r", Action: policy.ActionRemove}},
			Findings: []serve.Count{{Finding: graph.FindingOrphaned, Kind: graph.KindContainer, Decision: "reap", Action: policy.ActionRemove, UnderWay: true, Number: 1}},
		}, []string{"acting    1 act under way: git eager_fermi is being removed (rule r)\n", "found     1 container, orphaned: being removed\n"}, nil},
		{"while the policy's file is refused", serve.State{Pending: []serve.Pending{orphan}, Policy: serve.PolicyState{SHA256: strings.Repeat("ab", 32), Faults: []string{"policies.yaml:3: no such key"}}}, []string{"pending   git 40"}, []string{"stop now"}},
		{"while the disk is full, a sweep by hand cannot record its acts", serve.State{NoRoomIn: "/var/lib/reaperd", Pending: []serve.Pending{orphan}}, []string{"pending   git 40"}, []string{"stop now"}},
		{"while it is paused", serve.State{Paused: true, Pending: []serve.Pending{orphan}}, []string{"reaperd resume ends it"}, []string{"stop now"}},
		{"while the journal's disk is full, of which a cause tells", serve.State{NotReady: "the journal takes no record", Faults: []string{"write journal /j: no space left on device"}, JournalWriteErrors: 3, NoRoomIn: "/var/lib/reaperd",
			Pending:  []serve.Pending{{ID: "40:1", Name: "git", Rule: "r", AtOnce: true, DueAt: time.Now().Add(-time.Second)}},
			Findings: []serve.Count{{Finding: graph.FindingOrphaned, Kind: graph.KindServer, Decision: "reap", Number: 2}},
		}, []string{
			"FAULT     write journal /j: no space left on device\n", "pending   git 40 due, but nothing is acted on (rule r)\n", "2 servers, orphaned: would be stopped, but nothing is acted on\n",
			"/var/lib/reaperd has no room for a file: pin, unpin and pause fail; make room on the disk\n",
		}, []string{"stop now", "journal   could"}},
		{"after it was full", serve.State{JournalWriteErrors: 3, JournalFailedAt: time.Date(2026, 11, 22, 18, 46, 30, 0, time.Local)}, []string{"journal   could not be written 3 times, the last time 2026-11-22 18:46:30; it takes records again\n"}, []string{"FAULT"}},
	} {
		row.is.LastSweep, row.is.Ready = &serve.Sweep{}, row.is.NotReady == ""
		var out strings.Builder
		if err := Write(&out, &row.is, View{Now: time.Now(), Width: 200}); err != nil {
			t.Fatal(err)
		}
		for _, want := range row.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %q in\n%s", row.world, want, out.String())
			}
		}
		for _, not := range row.not {
			if strings.Contains(out.String(), not) {
				t.Errorf("%s: %q in\n%s", row.world, not, out.String())
			}
		}
	}
}

func TestStatusWritesTheReadersHomeAsATilde(t *testing.T) {
	is := serve.State{Ready: true, Policy: serve.PolicyState{Source: "/srv/dev/.config/reaperd/policies.yaml", SHA256: "0123456789abcdef"}}
	var out strings.Builder
	if err := Write(&out, &is, View{Now: time.Now(), Width: 200, Home: "/srv/dev"}); err != nil {
		t.Fatal(err)
	}
	if want := "policy    ~/.config/reaperd/policies.yaml sha256 0123456789ab\n"; !strings.Contains(out.String(), want) {
		t.Errorf("%q is missing in\n%s", want, out.String())
	}
}

func TestStatusTellsWhichSessionLeftWhatIsPending(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	is := serve.State{
		Ready: true, LastSweep: &serve.Sweep{At: now, Result: serve.ResultOK},
		Findings: []serve.Count{{Finding: graph.FindingOrphaned, Kind: graph.KindServer, Client: "codex", Decision: "pending", Number: 3, SessionPIDs: []int{698, 704}}},
		Pending:  []serve.Pending{{ID: "56:100", Name: "fetch", Rule: "orphaned-servers", DueAt: now.Add(time.Minute)}, {ID: "57:100", Name: "git", Rule: "orphaned-servers"}},
		Leavers: []serve.Leaver{
			{Name: "codex", PID: 698, Left: []serve.Left{{ID: "56:100"}}}, {Name: "codex", PID: 712, Left: []serve.Left{{ID: "58:100"}}}, {Name: "claude-code", PID: 9},
		},
	}
	var out strings.Builder
	if err := Write(&out, &is, View{Now: now, Width: 200}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"found     3 servers of codex 698 and 704, orphaned: pending\n", // and not of 712, which left something else
		"pending   fetch 56 of codex 698 in 1m (rule orphaned-servers)\n",
		"          git 57 (rule orphaned-servers)\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}

func TestStatusTellsWhatSetTheMode(t *testing.T) {
	for from, want := range map[string]string{"": ", mode report: it is well\n", policy.BesideSystem: ", mode report (root's daemon runs): it is well\n"} {
		is := serve.State{Ready: true, Mode: policy.ModeReport, ModeFrom: from, Policy: serve.PolicyState{SHA256: "0123456789abcdef"}}
		var out strings.Builder
		if err := Write(&out, &is, View{Now: time.Now(), Width: 200, Beside: beside.Daemons{{User: "root", PID: 7}}}); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s (%v)", want, out.String(), err)
		}
	}
}

// TestAUsersDaemonBesideRootsTellsWhatRootsMayTake: it reports only, and root's goes by no user's pin of a
// container.
func TestAUsersDaemonBesideRootsTellsWhatRootsMayTake(t *testing.T) {
	is := serve.State{
		Ready: true, Mode: policy.ModeReport, ModeFrom: policy.BesideSystem, LastSweep: &serve.Sweep{},
		Findings: []serve.Count{{Finding: graph.FindingOrphaned, Kind: graph.KindContainer, Decision: "pending", Number: 1}, {Finding: graph.FindingOrphaned, Kind: graph.KindServer, Decision: "reap", Number: 1}},
		Pending:  []serve.Pending{{ID: "0a", Name: "github", Rule: "c", Container: "gh10", DueAt: time.Now().Add(time.Minute)}},
		Stays: []serve.Stay{
			{Name: "github", Handle: "gh5", Finding: graph.FindingOrphaned, Why: "reaperd pin keeps it", UsersPin: "gh5"},
			{Name: "github", Handle: "57", Finding: graph.FindingOrphaned, Why: "its container gh5 is pinned", UsersPin: "gh5"},
			{Name: "fetch", Handle: "22", Finding: graph.FindingOrphaned, Why: "reaperd pin keeps it"},
		},
	}
	told := func(others beside.Daemons) string {
		var out strings.Builder
		if err := Write(&out, &is, View{Now: time.Now(), Width: 200, Beside: others}); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	is.InUse = []serve.Client{{Name: "codex", PID: 13, StopsAt: time.Now().Add(20 * time.Second), StopsBy: "idle-sessions"}}
	roots := told(beside.Daemons{{User: "root", PID: 7}})
	for _, want := range []string{
		"beside    root's daemon (process 7) looks after every user's servers: sudo reaperd status\n",
		"session   codex 13 with no servers; up to root's daemon if it goes on doing nothing (rule idle-sessions; reaperd pin 13 keeps it)\n",
		"found     1 container, orphaned: up to root's daemon\n", "          1 server, orphaned: up to root's daemon\n",
		"pending   github gh10, up to root's daemon (rule c)\n", "keep one  sudo reaperd pin gh10\n",
		"stays     github gh5 is orphaned: your pin keeps it from your own sweeps; from root's daemon only a pin of root's does: sudo reaperd pin gh5\n",
		"          github 57 is orphaned: your pin of gh5 keeps it from your own sweeps; from root's daemon only a pin of root's does\n",
		"          fetch 22 is orphaned: reaperd pin keeps it\n",
	} {
		if !strings.Contains(roots, want) {
			t.Errorf("beside root's: no %q in\n%s", want, roots)
		}
	}
	is.Policy.FileMode = policy.ModeEnforce
	for _, others := range []beside.Daemons{{{User: "root", PID: 7}}, nil} {
		data, err := JSON([]byte(`{"mode":"report"}`), &is, View{Beside: others})
		if isNext := strings.Contains(string(data), `"next_mode":"enforce"`); err != nil || isNext != (others == nil) {
			t.Errorf("beside %v: %v, %s", others, err, data)
		}
	}
	if alone := told(nil); strings.Contains(alone, "root's daemon (") || strings.Contains(alone, "own sweeps") || !strings.Contains(alone, "keep one  reaperd pin gh10\n") {
		t.Errorf("alone:\n%s", alone)
	}
}

func TestTheLastSweepIsNeverZeroAgo(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for since, want := range map[time.Duration]string{400 * time.Millisecond: "last just now (", -time.Second: "last just now (", 12 * time.Second: "last 12s ago ("} {
		if lines := sweepLines(&serve.State{LastSweep: &serve.Sweep{At: now.Add(-since)}}, now); !strings.HasPrefix(lines[0].text, want) {
			t.Errorf("%s: %q, want %q", since, lines[0].text, want)
		}
	}
}

func TestACountdownIsOverByThen(t *testing.T) {
	for _, row := range []struct {
		left         time.Duration
		goes, paused string
	}{
		{28*time.Second + 100*time.Millisecond, " in 29s", " due in 29s, but it is paused"},
		{28 * time.Second, " in 28s", " due in 28s, but it is paused"},
		{900 * time.Millisecond, " in 1s", " due in 1s, but it is paused"},
		{0, " now", " due, but it is paused"},
		{-time.Second, " now", " due, but it is paused"},
	} {
		if got := dueText(row.left, ""); got != row.goes {
			t.Errorf("%s: %q, want %q", row.left, got, row.goes)
		}
		if got := dueText(row.left, ", but it is paused"); got != row.paused {
			t.Errorf("%s, paused: %q, want %q", row.left, got, row.paused)
		}
	}
}

func TestWhatStartedASweepIsAWordThatAUserKnows(t *testing.T) {
	now := time.Now()
	for by, want := range map[trigger.Trigger]string{trigger.Signal: "last 2s ago (asked, ok, 5ms)", trigger.Schedule: "last 2s ago (schedule, ok, 5ms)"} {
		lines := sweepLines(&serve.State{LastSweep: &serve.Sweep{At: now.Add(-2 * time.Second), Trigger: by, Result: serve.ResultOK, DurationSeconds: 0.005}}, now)
		if lines[0].text != want {
			t.Errorf("%s: %q, want %q", by, lines[0].text, want)
		}
	}
}

func TestTheNextSweepIsNeverInNoTime(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		name string
		next time.Time
		want string
	}{
		{"none is known", time.Time{}, "none yet"},
		{"soon", now.Add(18 * time.Second), "none yet, next in 18s"},
		{"it is over by then", now.Add(17*time.Second + 300*time.Millisecond), "none yet, next in 18s"},
		{"in less than a second", now.Add(400 * time.Millisecond), "none yet, next within 1s"},
		{"it is due", now.Add(-time.Second), "none yet, next within 1s"},
	} {
		lines := sweepLines(&serve.State{NextSweep: row.next}, now)
		if len(lines) != 1 || lines[0].text != row.want {
			t.Errorf("%s: %+v, want %q", row.name, lines, row.want)
		}
	}
}

func TestTheFirstLineWithoutADaemonOfOnesOwn(t *testing.T) {
	for want, absent := range map[string]Absent{
		"reaperd is not running.\n": {},
		"Root's daemon runs (process 741), and looks after your servers too.\n":                                                    {Beside: beside.Daemons{{User: "root", PID: 741}}},
		"Root's daemon runs (process 741), and looks after your servers too, but is paused: it reaps nothing.\n":                   {Beside: beside.Daemons{{User: "root", PID: 741}}, RootsRests: "is paused: it reaps nothing"},
		"Root's daemon runs (process 741), and looks after your servers too; whether it stops anything now cannot be told here.\n": {Beside: beside.Daemons{{User: "root", PID: 741}}, RootsRests: serve.NotTold},
		"No daemon of root runs.\ndev's daemon (process 8011) looks after dev's servers.\n":                                        {Beside: beside.Daemons{{User: "dev", UID: 1000, PID: 8011}}},
	} {
		var out strings.Builder
		if err := absent.Write(&out, 200); err != nil || out.String() != want {
			t.Errorf("%q, %v, want %q", out.String(), err, want)
		}
	}
}

// TestAPauseIsToldWithWhomItDoesNotReach.
func TestAPauseIsToldWithWhomItDoesNotReach(t *testing.T) {
	now := time.Now()
	is := &serve.State{Paused: true, PausedUntil: now.Add(time.Hour), PauseReason: "a move"}
	until := "until " + human.Moment(is.PausedUntil.Local()) + " (a move)"
	for want, others := range map[string]beside.Daemons{
		until + ": nothing is reaped; reaperd resume ends it": nil,
		until + ", for your own sweeps only: root's daemon (process 741) does not go by it (sudo reaperd pause 1h); reaperd resume ends this pause": {{User: "root", PID: 741}},
	} {
		if got := pauseLines(is, others, now); len(got) != 1 || got[0].text != want {
			t.Errorf("got %+v, want %q", got, want)
		}
	}
}

func TestStatusTellsThatAPersonAskedForTheLastAct(t *testing.T) {
	for _, row := range []struct{ by, handle, want string }{
		{"", "105", "exited: memory 105 (rule duplicates)\n"},
		{"sweep --duplicates", "105", "exited: memory 105 (rule duplicates, by hand: sweep --duplicates)\n"},
		{"", "eager_fermi", "exited: memory eager_fermi (rule duplicates)\n"},
		{"", "", "exited: memory 105 (rule duplicates)\n"}, // an earlier daemon does not tell the handle
	} {
		want := row.want
		is := serve.State{Ready: true, LastSweep: &serve.Sweep{}, LastActs: []serve.Act{{At: time.Now(), Target: "105:7", Name: "memory", Handle: row.handle, Rule: "duplicates", Outcome: "exited", ByHand: row.by}}}
		var out strings.Builder
		if err := Write(&out, &is, View{Now: time.Now(), Width: 200}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}

func TestThePinsAreCountedAsTheyAreListed(t *testing.T) {
	for _, row := range []struct {
		world              string
		hold, ended, users int
		want               string
	}{
		{"none", 0, 0, 0, ""}, {"two that hold", 2, 0, 0, "2"}, {"one has ended", 2, 1, 0, "3, 1 of which holds no longer"},
		{"all have", 0, 2, 0, "2, 2 of which hold no longer"}, {"those of users", 0, 0, 1, "1 of a user"}, {"and root's", 1, 0, 2, "1, and 2 of users"},
	} {
		if got := pinsText(row.hold, row.ended, row.users); got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}

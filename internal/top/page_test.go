package top

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// TestAPageBreaksBetweenParagraphs: whoever reads a sentence to the end of the screen is not at
// its end.
func TestAPageBreaksBetweenParagraphs(t *testing.T) {
	for _, row := range []struct {
		page string
		size Resized
	}{
		{"?", Resized{100, 30}}, {"?", Resized{80, 24}}, {"n enter", Resized{60, 12}}, {"e", Resized{50, 8}},
	} {
		r := reads(t, ordinary())
		r.types(row.page)
		r.sends(row.size)
		whole, seen := r.model.pageLines(), 0
		for range whole {
			first, end := r.model.page.first, r.model.pageEnd()
			if first > seen {
				t.Errorf("%q at %v: lines %d to %d are on no screen", row.page, row.size, seen, first)
			}
			if end < len(whole) && whole[end] != nil && strings.HasPrefix(whole[end].String(), " ") && end > first+r.model.pageRoom()/2 {
				t.Errorf("%q at %v: a screen ends before %q", row.page, row.size, whole[end].String())
			}
			seen = max(seen, end)
			r.types("pgdn")
		}
		if seen != len(whole) {
			t.Errorf("%q at %v: %d of %d lines are seen", row.page, row.size, seen, len(whole))
		}
	}
}

func TestTheHelpExplainsThePlus(t *testing.T) {
	r := reads(t, ordinary())
	r.sends(Resized{100, 60})
	r.types("?")
	wantOn(t, r.screen(), []string{"idle 5h+   idle since it was first looked at, and maybe for longer"}, nil)
}

// TestDetailsTellHowTheirThingEnded: it ends while somebody reads them.
func TestDetailsTellHowTheirThingEnded(t *testing.T) {
	const key = "server:21700:1"
	for _, row := range []struct {
		world  string
		change func(*overview.Tree)
		wants  string
	}{
		{"it was reaped", func(t *overview.Tree) {
			t.Ended = []overview.Ended{{Key: key, At: at.Add(time.Second), Outcome: "exited", Rule: "orphaned-servers"}}
		}, "It was reaped 2026-11-22 14:02:12: exited (rule orphaned-servers)."},
		{"it ended by itself", func(t *overview.Tree) { t.Parted = []overview.Parted{{Key: key, At: at.Add(time.Second)}} },
			"It ended, as seen 2026-11-22 14:02:12; the daemon's journal names no act on it."},
		{"nobody saw how", func(*overview.Tree) {}, "It is not there any more, as seen 2026-11-22 14:02:12: reaperd explain 21700 tells what is known of its end."},
	} {
		w := ordinary()
		r := reads(t, w)
		r.types("n enter")
		w.Verdicts = w.Verdicts[:len(w.Verdicts)-1]
		for i := range 2 { // the look without it, and the next
			tree := w.tree()
			tree.Complete, tree.At = true, at.Add(time.Duration(i+1)*time.Second)
			row.change(&tree)
			r.sends(Seen{Tree: tree, From: Daemon})
		}
		screen := strings.Join(strings.Fields(r.screen()), " ")
		if !strings.HasPrefix(screen, "lark-mcp 21700 "+row.wants) {
			t.Errorf("%s: want %q in\n%s", row.world, row.wants, screen)
		}
	}
}

// TestDetailsNameTheCommandThatWorksNow: in mode report and under a pause sweep is refused.
func TestDetailsNameTheCommandThatWorksNow(t *testing.T) {
	for _, row := range []struct {
		world  string
		own    policy.Mode // of this top
		change func(*overview.Tree)
		shows  []string
		hides  string
	}{
		{"the daemon acts", "", func(*overview.Tree) {}, []string{"x asks to stop it now (reaperd sweep 21700)"}, "Paused"},
		{"the daemon only reports", "", func(t *overview.Tree) { t.Mode = policy.ModeReport },
			[]string{"The daemon only reports (mode: report).", "to stop it now: reaperd sweep --mode enforce 21700, or quit (q) and press x in reaperd top --mode enforce", "esc back p pin"}, "x stop"},
		{"it acts by a flag of its own, and the policy only reports", policy.ModeReport, func(*overview.Tree) {},
			[]string{"stops in 43s", "to stop it now: reaperd sweep --mode enforce 21700, or quit (q) and press x in reaperd top --mode enforce"}, "x stop"},
		{"it does, and this top may act", policy.ModeEnforce, func(t *overview.Tree) { t.Mode = policy.ModeReport }, []string{"The daemon only reports (mode: report); x acts all the same.", "x asks to stop it now (reaperd sweep --mode enforce 21700)"}, "reaperd sweep 21700"},
		{"paused", "", func(t *overview.Tree) {
			t.Pause = overview.Pause{On: true, Until: at.Add(time.Hour), Reason: "a migration"}
		},
			[]string{"Paused until 15:02:11 (a migration): nothing is stopped. reaperd resume ends it.", "stop it after reaperd resume, which ends the pause"}, "reaperd sweep 21700"},
		{"the policy file is refused", "", func(t *overview.Tree) { t.Refused = []string{"policies.yaml:3: unknown key"} },
			[]string{"stops in 43s", "to see what to mend in the policy file, which is refused: reaperd policy check"}, "reaperd sweep 21700"},
		{"the journal takes no record", "", func(t *overview.Tree) { t.Unfit = "nothing is acted on: the journal takes no record" },
			[]string{"would stop in 43s", "The daemon is not well: it stops nothing.", "to see why nothing can be stopped: reaperd status"}, "reaperd sweep 21700"},
	} {
		tree := ordinary().tree()
		row.change(&tree)
		r := reads(t, ordinary())
		r.sends(Resized{100, 40}, Seen{Tree: tree, From: Daemon, Mode: row.own})
		r.types("n enter")
		wantOn(t, strings.Join(strings.Fields(r.screen()), " "), row.shows, []string{row.hides})
	}
}

// TestDetailsNameACommandForTheFilesOwnMode: the sweep that a person types does not know the
// --mode of top.
func TestDetailsNameACommandForTheFilesOwnMode(t *testing.T) {
	r := reads(t, ordinary())
	r.sends(Resized{100, 40}, Seen{Tree: ordinary().tree(), From: NoDaemon, Mode: policy.ModeEnforce, FileMode: policy.ModeReport})
	r.types("n enter")
	wantOn(t, strings.Join(strings.Fields(r.screen()), " "), []string{"x asks to stop it now (reaperd sweep --mode enforce 21700)"}, nil)
}

// TestDetailsOfADockerRunSayHowItEnds: nothing is sent to it.
func TestDetailsOfADockerRunSayHowItEnds(t *testing.T) {
	w := newWorld()
	w.Verdicts = make([]policy.Verdict, 0, 4)
	runner := orphaned(w.server("docker", 700, gone("codex", 600)), 30*time.Second)
	orphaned(w.container("fetch", runner), 30*time.Second).Action = policy.ActionRemove
	r := reads(t, w)
	r.types("n enter")
	wantOn(t, r.screen(), []string{"docker 700", ": it ends by itself with its container fetch-1"}, []string{"SIGTERM"})
}

// TestDetailsOfWhatIsDueNameTheCommandIfNobodyActs: a daemon that acts is about to stop it.
func TestDetailsOfWhatIsDueNameTheCommandIfNobodyActs(t *testing.T) {
	const command = "to stop it now: reaperd sweep --mode enforce 21700, or quit (q) and press x in reaperd top --mode enforce"
	for mode, row := range map[policy.Mode]struct {
		shows []string
		hides string
	}{
		policy.ModeReport:  {[]string{"would stop now", command, "esc back p pin"}, "x stop"},
		policy.ModeEnforce: {[]string{"stops now", "esc back p pin x stop"}, "reaperd sweep 21700"},
	} {
		w := newWorld()
		w.Mode = mode
		orphaned(w.server("lark-mcp", 21700, gone("codex", 21655)), 0)
		r := reads(t, w)
		r.sends(Resized{100, 40})
		r.types("n enter")
		wantOn(t, strings.Join(strings.Fields(r.screen()), " "), row.shows, []string{row.hides})
	}
}

func TestDetailsOfAGroupNameTheCommandInModeReport(t *testing.T) {
	w := ordinary()
	w.Mode = policy.ModeReport
	r := reads(t, w)
	r.sends(Resized{100, 40})
	r.types("g down enter")
	wantOn(t, strings.Join(strings.Fields(r.screen()), " "),
		[]string{"to stop all of it now: reaperd sweep --mode enforce 21700, or quit (q) and press x", "esc back p pin all"}, []string{"x asks", "x stop"})
}

// TestADaemonWhoseDiskIsFullSaysSoInTheHead: it acts, and nothing can be pinned.
func TestADaemonWhoseDiskIsFullSaysSoInTheHead(t *testing.T) {
	tree := ordinary().tree()
	tree.NoRoomIn = "~/.local/state/reaperd"
	r := reads(t, ordinary())
	r.sends(Seen{Tree: tree, From: Daemon})
	const fault = "The disk is full: ~/.local/state/reaperd has no room for a file, and pin, unpin and pause fail; make room there"
	wantOn(t, strings.Join(strings.Fields(r.screen()), " "), []string{fault, "The daemon stops what its rules say."}, []string{"not well"})
	r.types("e")
	wantOn(t, strings.Join(strings.Fields(r.screen()), " "), []string{"fault " + fault}, []string{"everything was seen"})
}

// TestNothingIsPinnedOnAFullDisk: p would be refused, so neither foot nor details offer it.
func TestNothingIsPinnedOnAFullDisk(t *testing.T) {
	const why = "p is refused: the disk of /var/lib/reaperd is full. Make room there first"
	for _, row := range []struct {
		name, keys string
		pins       []string
		shows      []string
		hides      []string
	}{
		{"a row", "n", nil, []string{"enter details x stop"}, []string{"p pin"}},
		{"its details", "n enter", nil, []string{"keep it " + why, "esc back x stop"}, []string{"p pin", "reaperd pin "}},
		{"a pinned one", "n enter", []string{"21700:1"}, []string{why, "esc back"}, []string{"p unpin", "p ends", "x stop"}},
		{"what a session left", "g down enter", nil, []string{"keep it " + why}, []string{"p pin"}},
		{"what a session left, all pinned", "g down", []string{"21700:1"}, []string{"q quit"}, []string{"p unpin"}},
	} {
		r := reads(t, ordinary())
		r.sends(Seen{Tree: ordinary().tree(), From: Daemon, Pins: row.pins, NoRoomIn: "/var/lib/reaperd"})
		r.types(row.keys)
		wantOn(t, strings.Join(strings.Fields(r.screen()), " "), row.shows, row.hides)
	}
}

func TestADaemonThatCannotActSaysSoInTheHead(t *testing.T) {
	tree := ordinary().tree()
	tree.Unfit = "nothing is acted on: the journal takes no record"
	r := reads(t, ordinary())
	r.sends(Seen{Tree: tree, From: Daemon})
	const fault = "The daemon is not well, nothing is acted on: the journal takes no record; reaperd status says more"
	screen := func() string { return strings.Join(strings.Fields(r.screen()), " ") }
	wantOn(t, screen(), []string{fault, "1 leaked, 40 MB: would stop in 43s", "The daemon is not well: it stops nothing."}, []string{"stops what its rules", " stops in"})
	r.types("e")
	wantOn(t, screen(), []string{"fault " + fault}, []string{"everything was seen"})
}

func TestTheHelpExplainsEachFindingsWordOnce(t *testing.T) {
	got := findings()
	if strings.Count(got, "failing: ") != 1 || !strings.Contains(got, "; failing: it does not wait for its dead children, or it starts again what was reaped from it; left behind: ") || !strings.HasPrefix(got, "orphaned: ") {
		t.Errorf("got %s", got)
	}
}

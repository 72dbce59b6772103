package history

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

// What is broken goes on to the right of its lead, however narrow the terminal is.
func TestABrokenLineGoesOnUnderItsText(t *testing.T) {
	at := time.Date(2026, 11, 22, 16, 38, 25, 0, time.Local)
	entry := journal.Entry{
		Phase: journal.PhaseOutcome, ID: "a", BegunAt: at, Name: "playwright-mcp", TargetID: "153:7", Rule: "orphaned-servers", Finding: "orphaned",
		Result: "exited", Detail: "2 processes exited within 28ms of being asked", Why: `rule "orphaned-servers": nobody alive owns it`, Owner: "codex 93:5",
		Evidence: []journal.Evidence{{Check: "stdin", Says: "orphaned", Proof: true, Text: "nobody alive holds the other end of its stdin"}},
	}
	others, session := entry, journal.Entry{Phase: journal.PhaseOutcome, ID: "c", BegunAt: at, Name: "codex", TargetID: "93:5", Rule: "idle-end", Finding: "idle", Result: "exited", Detail: "1 process exited"}
	others.ID, others.TargetID, others.Name, others.Owner = "b", "182:9", "git", "codex 177:8"
	for _, row := range []struct {
		name string
		fate Fate
		want string
	}{
		{"an act at 60 columns", Fate{Subject: "153", Width: 60, Entries: []journal.Entry{entry}}, `153 is not running here.
2026-11-22 16:38:25  playwright-mcp 153 (rule
                     orphaned-servers, orphaned): 2
                     processes exited within 28ms of being
                     asked
  as it was seen before that:
    why: nobody alive owns it
    left by: codex 93
    stdin: nobody alive holds the other end of its stdin
           (orphaned, proof)
`},
		{"what a session had at 60 columns", Fate{Subject: "93", Width: 60, Held: []journal.Entry{entry}}, `codex 93 is not running here. What reaperd did to what it
had:
  2026-11-22 16:38:25  playwright-mcp 153: exited (rule
                       orphaned-servers)
`},
		{"what a session had at 40 columns", Fate{Subject: "93", Width: 40, Held: []journal.Entry{entry}}, `codex 93 is not running here. What
reaperd did to what it had:
  2026-11-22 16:38:25 playwright-mcp
      153: exited (rule
      orphaned-servers)
`},
		{"what two sessions of a name had", Fate{Subject: "codex", Held: []journal.Entry{entry, others, entry}}, `codex 93 is not running here. What reaperd did to what it had:
  2026-11-22 16:38:25  playwright-mcp 153: exited (rule orphaned-servers)
  2026-11-22 16:38:25  playwright-mcp 153: exited (rule orphaned-servers)
codex 177 is not running here. What reaperd did to what it had:
  2026-11-22 16:38:25  git 182: exited (rule orphaned-servers)
`},
		{"a daemon has seen the end of one", Fate{Subject: "codex", Width: 100, Ended: "codex 177 ended.", Held: []journal.Entry{others}}, `codex 177 ended.
What reaperd did to what codex 177 had:
  2026-11-22 16:38:25  git 182: exited (rule orphaned-servers)
`},
		{"it was reaped with what it had", Fate{Subject: "93", Width: 100, Entries: []journal.Entry{session}, Held: []journal.Entry{entry}}, `93 is not running here.
2026-11-22 16:38:25  codex 93 (rule idle-end, idle): 1 process exited
What reaperd did to what codex 93 had:
  2026-11-22 16:38:25  playwright-mcp 153: exited (rule orphaned-servers)
`},
		{"one was reaped, and another has ended since", Fate{Subject: "codex", Width: 100, Ended: "codex 177 ended.", Entries: []journal.Entry{session}}, `codex 177 ended.
2026-11-22 16:38:25  codex 93 (rule idle-end, idle): 1 process exited
`},
		{"no terminal", Fate{Subject: "93", Held: []journal.Entry{entry}}, `codex 93 is not running here. What reaperd did to what it had:
  2026-11-22 16:38:25  playwright-mcp 153: exited (rule orphaned-servers)
`},
	} {
		var out strings.Builder
		if err := row.fate.Write(&out); err != nil || out.String() != row.want {
			t.Errorf("%s: %v\n%s", row.name, err, out.String())
		}
	}
}

func TestWhatHasEndedIsGotBackAsItsClientDoes(t *testing.T) {
	const reconnect, resume = "To reconnect a server in Claude Code: /mcp", "in its folder: codex resume"
	for _, row := range []struct {
		world string
		entry journal.Entry
		want  string // of the last line; empty is none of these
		says  string
	}{
		{"a gateway of a live claude-code", journal.Entry{Kind: "gateway", Name: "docker-mcp", Owner: "claude-code 44:1500", Finding: "zombies", Rule: "zombie-gateways"}, reconnect, "(rule zombie-gateways, collecting zombies)"},
		{"an older copy of it: nobody misses that", journal.Entry{Kind: "server", Name: "fetch", Owner: "claude-code 44:1500", Finding: "duplicate", Rule: "duplicates"}, "", "(rule duplicates, an older copy)"},
		{"an orphan of a session that is gone", journal.Entry{Kind: "server", Name: "fetch", Owner: "claude-code 44:1500", Finding: "orphaned", Rule: "orphaned-servers"}, "", "(rule orphaned-servers, orphaned)"},
		{"by hand", journal.Entry{Kind: "server", Name: "fetch", Owner: "claude-code 44:1500", Finding: "orphaned", Rule: "orphaned-servers", ByHand: "sweep --now"}, "", "(rule orphaned-servers, orphaned, by hand: sweep --now)"},
		{"by hand, by the age of the target", journal.Entry{Kind: "server", Name: "fetch", Owner: "claude-code 44:1500", Finding: "orphaned", Rule: "orphaned-servers", HeldByAge: true}, "", "(rule orphaned-servers, orphaned, by hand)"},
		{"an older copy of codex", journal.Entry{Kind: "server", Name: "fetch", Owner: "codex 44:1500", Finding: "duplicate", Rule: "duplicates"}, "", "(rule duplicates, an older copy)"},
		{"a server that went with its session", journal.Entry{Kind: "server", Name: "fetch", Owner: "codex 47:1500", With: "codex 47:1500", Finding: "none", Rule: "idle-over"}, resume, "(rule idle-over, with codex 47)"},
		{"the session itself, and its folder is known", journal.Entry{Kind: "session", Name: "codex", TargetID: "48:7", Cwd: "/src/infra", Finding: "idle", Rule: "idle-over", Why: `rule "idle-over": it does nothing`}, "in /src/infra: codex resume", "why: it does nothing"},
		{"the session itself", journal.Entry{Kind: "session", Name: "codex", Finding: "idle", Rule: "idle-over"}, resume, "(rule idle-over, idle)"},
	} {
		row.entry.Phase, row.entry.Result, row.entry.Detail = journal.PhaseOutcome, "exited", "SIGTERM ended it within 13ms and nothing of its tree is left behind"
		f := Fate{Subject: "48", Entries: []journal.Entry{row.entry}, Width: 60, Resumes: map[string]string{"codex": "codex resume"}}
		var out strings.Builder
		if err := f.Write(&out); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(out.String()), " ")
		for _, way := range []string{reconnect, resume, "in /src/infra: codex resume"} {
			if strings.HasSuffix(text, way) != (way == row.want) {
				t.Errorf("%s: want %q at the end of\n%s", row.world, row.want, out.String())
			}
		}
		if !strings.Contains(text, row.says) {
			t.Errorf("%s: no %q in\n%s", row.world, row.says, out.String())
		}
		for line := range strings.Lines(out.String()) {
			if human.Width(strings.TrimSuffix(line, "\n")) > f.Width {
				t.Errorf("%s: wider than %d: %s", row.world, f.Width, line)
			}
		}
	}
}

// What is pinned, or what a daemon has seen, is not denied because the look does not show it.
func TestWhatTheLookDoesNotShowIsToldFromElsewhere(t *testing.T) {
	const hung = "docker could not be read: the engine does not answer"
	const id = "0123456789abcdef0123456789abcdef"
	at := time.Date(2026, 11, 22, 16, 38, 25, 0, time.Local)
	pinned := []state.Pin{{ID: id, Name: "notes", Container: "keepme", At: at}}
	seen := []serve.SeenContainer{{ID: id, Name: "notes", Handle: "keepme", Owner: "codex 44", At: at.Add(time.Minute)}}
	leaked := []serve.SeenContainer{seen[0]}
	leaked[0].Finding = graph.FindingOrphaned
	for _, row := range []struct {
		world string
		fate  Fate
		want  string
		known bool
	}{
		{"a daemon saw it, and nobody's", Fate{Unread: hung, SeenLast: leaked}, "notes keepme cannot be seen now, and reaperd never touched it, as far as its journal tells. " +
			"The daemon saw it last 2026-11-22 16:39:25, of codex 44. It was orphaned; once it is seen again, the daemon counts anew. Not everything could be looked at: " + hung + ".", false},
		{"nobody's, and it has ended since", Fate{SeenLast: leaked}, "notes keepme is not running here, and reaperd never touched it, as far as its journal tells. " +
			"The daemon saw it last 2026-11-22 16:39:25, of codex 44. It was orphaned.", true},
		{"pinned, and a daemon saw it end", Fate{Width: 200, Ended: "notes keepme ended, as seen 2026-11-22 16:40:25; the daemon's journal names no act on it.", Pinned: pinned},
			"notes keepme ended, as seen 2026-11-22 16:40:25; the daemon's journal names no act on it. It is pinned; reaperd unpin keepme ends that.", true},
		{"pinned, and no daemon", Fate{Unread: hung, Pinned: pinned}, "notes keepme cannot be seen now, and reaperd never touched it, as far as its journal tells. It is pinned; reaperd unpin keepme ends that. " +
			"It was there when it was pinned, 2026-11-22 16:38:25. Not everything could be looked at: " + hung + ".", false},
		{"pinned, and a daemon saw it", Fate{Unread: hung, Pinned: pinned, SeenLast: seen}, "notes keepme cannot be seen now, and reaperd never touched it, as far as its journal tells. It is pinned; reaperd unpin keepme ends that. " +
			"The daemon saw it last 2026-11-22 16:39:25, of codex 44. Not everything could be looked at: " + hung + ".", false},
		{"a daemon saw it", Fate{Unread: hung, SeenLast: seen}, "notes keepme cannot be seen now, and reaperd never touched it, as far as its journal tells. " +
			"The daemon saw it last 2026-11-22 16:39:25, of codex 44. Not everything could be looked at: " + hung + ".", false},
		{"all was looked at", Fate{Pinned: pinned}, "notes keepme is not running here, and reaperd never touched it, as far as its journal tells. It is pinned; reaperd unpin keepme ends that. " +
			"It was there when it was pinned, 2026-11-22 16:38:25.", false},
		{"it has ended since the daemon looked", Fate{SeenLast: seen}, "notes keepme is not running here, and reaperd never touched it, as far as its journal tells. The daemon saw it last 2026-11-22 16:39:25, of codex 44.", true},
		{"the journal is not whole", Fate{Pinned: pinned, Missing: Missing{Beside: beside.Daemons{{User: "root", PID: 741}}}}, "notes keepme is not running here, and the journal does not name it. It is pinned; reaperd unpin keepme ends that. " +
			"It was there when it was pinned, 2026-11-22 16:38:25.", false},
	} {
		row.fate.Subject = "keepme"
		var out strings.Builder
		if err := row.fate.Write(&out); err != nil || out.String() != row.want+"\n" || row.fate.Known() != row.known {
			t.Errorf("%s: known %v, %v\n%s", row.world, row.fate.Known(), err, out.String())
		}
	}
}

func TestOfSeveralThatAreGoneEachIsTold(t *testing.T) {
	const one, two = "codex 13 ended and left 1 server: fetch 22.", "codex 47 ended and left nothing behind."
	for _, row := range []struct{ name, left, want string }{
		{"one", one, "codex 13 ended and left 1\nserver: fetch 22."},
		{"two", one + "\n" + two, "codex 13 ended and left\n    1 server: fetch 22.\ncodex 47 ended and left\n    nothing behind."},
	} {
		if got := strings.Join(endedLines(row.left, 27), "\n"); got != row.want {
			t.Errorf("%s:\n%s", row.name, got)
		}
	}
}

// TestOneSessionThatHasEndedIsToldWithWhatComesNext: what shows what it left, and how to go on.
func TestOneSessionThatHasEndedIsToldWithWhatComesNext(t *testing.T) {
	session := serve.Gone{ID: "12:900", Kind: graph.KindSession, Name: "codex", Handle: "12", Cwd: "/home/dev/app"}
	left := []serve.Left{{ID: "22:1", Name: "fetch", Handle: "22"}, {ID: "31:1", Name: "git", Handle: "31"}}
	const ended = "codex 12 ended.\n"
	for _, row := range []struct {
		world string
		gone  []serve.Gone
		left  []serve.Left
		want  string
	}{
		{"it left something", []serve.Gone{session}, left, ended + "reaperd scan 12   shows them, with what stops or keeps them\nTo go on with the codex session that has ended, in /home/dev/app: codex resume\n"},
		{"it left one thing", []serve.Gone{session}, left[:1], ended + "reaperd scan 12   shows it, with what stops or keeps it\nTo go on with the codex session that has ended, in /home/dev/app: codex resume\n"},
		{"it left nothing", []serve.Gone{session}, nil, ended + "To go on with the codex session that has ended, in /home/dev/app: codex resume\n"},
		{"two of that name", []serve.Gone{session, {ID: "13:900", Kind: graph.KindSession, Name: "codex", Handle: "13"}}, nil, ended + "To go on with codex 12, in /home/dev/app: codex resume\n"},
		{"two of that name, and something runs", []serve.Gone{session, {ID: "13:900", Kind: graph.KindSession, Name: "codex", Handle: "13"}}, left, ended + "reaperd scan 12   shows them, with what stops or keeps them\nTo go on with codex 12, in /home/dev/app: codex resume\n"},
		{"a server", []serve.Gone{{ID: "22:1", Kind: graph.KindServer, Name: "fetch"}}, nil, ended},
	} {
		var out strings.Builder
		f := Fate{Subject: "12", Ended: "codex 12 ended.", Gone: row.gone, Left: row.left, Resumes: map[string]string{"codex": "codex resume"}, Width: 100}
		if err := f.Write(&out); err != nil || out.String() != row.want {
			t.Errorf("%s: %v\n%s", row.world, err, out.String())
		}
	}
}

// TestThePinOfAProcessThatHasEndedKeepsNothing: a process does not start again.
func TestThePinOfAProcessThatHasEndedKeepsNothing(t *testing.T) {
	var out strings.Builder
	f := Fate{Subject: "12", Ended: "codex 12 ended.", Pinned: []state.Pin{{ID: "12:900", Name: "codex"}}, Width: 100}
	if err := f.Write(&out); err != nil || out.String() != "codex 12 ended. Its pin holds no longer, and keeps nothing; reaperd unpin 12 removes it.\n" {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// TestAMistypedNameIsNoQuestionAboutTheJournal: what it may stand for is enough.
func TestAMistypedNameIsNoQuestionAboutTheJournal(t *testing.T) {
	var out strings.Builder
	f := Fate{Subject: "fech", Near: "reaperd explain fetch   the nearest name", Width: 100}
	if err := f.Write(&out); err != nil || out.String() != "No MCP server, session or container here is called fech.\n" {
		t.Errorf("%v\n%s", err, out.String())
	}
	if notes := f.Notes(); len(notes) != 1 || notes[0] != "hint: reaperd explain fetch   the nearest name" {
		t.Errorf("%q", notes)
	}
	f.Ended = "fech 12 ended."
	if notes := f.Notes(); len(notes) > 0 {
		t.Errorf("it is known: %q", notes)
	}
}

// TestWhatASessionHasJustLeftComesBeforeWhatWasDoneToAnOlderOne of that name.
func TestWhatASessionHasJustLeftComesBeforeWhatWasDoneToAnOlderOne(t *testing.T) {
	var out strings.Builder
	f := Fate{Subject: "codex", Ended: "codex 13 ended, left 1 server: fetch 22.", Left: []serve.Left{{ID: "22:1", Name: "fetch", Handle: "22"}},
		Entries: []journal.Entry{{Phase: journal.PhaseOutcome, ID: "a", Name: "codex", Kind: "session", TargetID: "12:900", Rule: "idle-over", Result: "exited"}}, Width: 100}
	if err := f.Write(&out); err != nil || !strings.HasPrefix(out.String(), "codex 13 ended, left 1 server: fetch 22.\n") || !strings.Contains(out.String(), "codex 12 (rule idle-over): exited") || strings.Contains(out.String(), "not running here") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// TestAnActWithoutAnOutcomeMayGoOn, if it has begun lately: what is left of its tree may live yet.
func TestAnActWithoutAnOutcomeMayGoOn(t *testing.T) {
	for _, row := range []struct {
		ago  time.Duration
		runs []string
		want string
	}{
		{5 * time.Second, nil, "begun, and not ended yet"},
		{5 * time.Second, []string{"8:70"}, "begun, and not ended yet; 8 of it still runs: reaperd explain 8"},
		{5 * time.Second, []string{"8:70", "9:70"}, "begun, and not ended yet; 8 and 9 of it still run: reaperd explain 8"},
		{5 * time.Second, []string{"8:71"}, "begun, and not ended yet"}, // a later process of that number
		{time.Hour, nil, "begun, and no outcome was written"},
	} {
		entry := journal.Entry{Time: time.Now().Add(-row.ago), Phase: journal.PhaseIntend, TargetID: "7:70", Name: "memory", Rule: "r", Tree: []journal.Process{{PID: 7, Start: 70}, {PID: 8, Start: 70}, {PID: 9, Start: 70}}}
		told := (&Fate{Runs: row.runs}).toldOf(entry)
		if !strings.HasSuffix(told[0].text, ": "+row.want) {
			t.Errorf("begun %s ago: %q, want %q", row.ago, told[0].text, row.want)
		}
	}
}

// TestAnActWhoseReaperdWasEndedDoesNotGoOn, however lately it has begun.
func TestAnActWhoseReaperdWasEndedDoesNotGoOn(t *testing.T) {
	for want, isAtIt := range map[string]bool{"begun, and not ended yet": true, "begun, and no outcome was written": false} {
		f := Fate{IsAtIt: func(*journal.Entry) bool { return isAtIt }}
		told := f.toldOf(journal.Entry{Time: time.Now(), Phase: journal.PhaseIntend, TargetID: "7:70", Name: "memory", Rule: "r"})
		if !strings.HasSuffix(told[0].text, ": "+want) {
			t.Errorf("%q, want %q", told[0].text, want)
		}
	}
}

// TestTheRunnerThatEndedWithAContainerIsFoundByItsNumber: no act was on it.
func TestTheRunnerThatEndedWithAContainerIsFoundByItsNumber(t *testing.T) {
	entry := journal.Entry{TargetID: "c0ffee", Name: "postgres", Kind: "container", Runner: "228:7", Container: &journal.Container{Name: "pg1"}}
	for word, want := range map[string]bool{"228": true, "pg1": true, "229": false} {
		if thing := ThingOf(&entry); thing.IsMeant(word) != want {
			t.Errorf("%s is meant: %v", word, !want)
		}
	}
}

package screen_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/screen"
	"github.com/reaperd/reaperd/internal/top"
)

// This file holds `reaperd top` against the worlds: it shows what scan shows, and its keys ask for what the
// account says.

// on is top in a world.
type on struct {
	screen.Told
	top.Model
	now time.Time
	did []top.Effect
}

// show is top of a size in a world, after some keys.
func show(w screen.Told, width, height int, keys ...top.Key) *on {
	o := &on{Told: w, now: w.Account.TakenAt}
	o.Model = top.New(top.Options{UTF8: true, Home: "/home/dev"}, o.now)
	o.hears(top.Resized{Width: width, Height: height})
	o.hears(top.Seen{Account: w.Account})
	o.types(keys...)
	return o
}

// hears updates the model, and answers what it asks for.
func (o *on) hears(message top.Message) {
	var effect top.Effect
	o.Model, effect = o.Update(message, o.now)
	if effect.Do == top.Nothing {
		return
	}
	o.did = append(o.did, effect)
	switch came := (top.Came{Effect: effect}); effect.Do {
	case top.Explain:
		came.Explanation, came.Err = o.Explain(effect.Words[0])
		o.hears(came)
	case top.Plan:
		came.Planned, _ = o.Plan()
		o.hears(came)
	case top.Act:
		_, came.Result = o.Plan()
		o.hears(came)
	}
}

func (o *on) types(keys ...top.Key) {
	for _, key := range keys {
		o.hears(key)
	}
}

func (o *on) lines() []string {
	return strings.Split(strings.TrimRight(o.Frame().String(), "\n"), "\n")
}

// chosen is the row under the cursor.
func (o *on) chosen() string {
	for _, line := range o.Frame().Lines {
		if len(line) == 1 && line[0].Style.Reverse {
			return strings.TrimSpace(line[0].Text)
		}
	}
	return ""
}

// The size of a terminal on which everything has room.
const vast, tall = 600, 4000

func world(t *testing.T, name string) screen.Told {
	t.Helper()
	return screen.World(t, name)
}

// builtIn is what changes with each line of the built-in policy.
var builtIn = regexp.MustCompile(`built-in:[0-9]+`)

// TestTopLooksAsItDid compares what people see first, and one page, with a file.
func TestTopLooksAsItDid(t *testing.T) {
	var b strings.Builder
	for _, c := range []struct {
		world         string
		width, height int
		keys          []top.Key
	}{
		{"empty", 80, 8, nil}, {"healthy", 80, 10, nil}, {"plain-daemon", 80, 24, nil}, {"laptop", 80, 24, nil}, {"laptop-daemon", 120, 30, []top.Key{"n"}},
		{"laptop-daemon", 40, 16, nil}, {"pinned", 80, 16, []top.Key{"G", "k", "k", "k"}}, {"idle-acts", 100, 12, []top.Key{"j"}}, {"orphan-due", 80, 24, []top.Key{"n", "enter"}}, {"plain-daemon", 80, 24, []top.Key{"x"}},
		{"healthy", 80, 24, []top.Key{"?"}},
	} {
		fmt.Fprintf(&b, "-- %s %d×%d %q --\n%s", c.world, c.width, c.height, c.keys, builtIn.ReplaceAllString(show(world(t, c.world), c.width, c.height, c.keys...).Frame().String(), "built-in: …"))
	}
	const file = "testdata/top.txt"
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || b.String() != string(want) {
		t.Errorf("%s is not what it was (%v): go test ./internal/screen -run Top -update, and read the difference", file, err)
	}
}

// TestTopShowsEveryThingOnceInTheOrderOfScan unfolds everything. A container is shown as its docker run.
func TestTopShowsEveryThingOnceInTheOrderOfScan(t *testing.T) {
	for _, w := range screen.Worlds(t) {
		o, a, things := show(w, vast, tall, "+"), w.Account, w.Account.ByID()
		lines := o.lines()
		at, shown := 0, map[string]bool{}
		next := func(title, state string) {
			t.Helper()
			found := slices.IndexFunc(lines[at:], func(line string) bool {
				return strings.HasPrefix(strings.TrimLeft(line, " ▾▸"), human.Safe(title)) && strings.Contains(line, strings.TrimRight(human.Safe(state), " "))
			})
			if found < 0 {
				t.Fatalf("%s: %q, %q is not behind line %d of\n%s", w.Name, title, state, at, strings.Join(lines, "\n"))
			}
			at += found + 1
		}
		for _, section := range a.Sections {
			next(strings.ToUpper(string(section.Fate)), "")
			for _, r := range section.Rows {
				next(r.Title, r.State.In(o.now, "/home/dev"))
				for _, id := range r.Things {
					thing := things[id]
					if itself := id == r.ID || thing.Called() == r.Title; !itself && !thing.Held {
						next(thing.Called(), a.State(thing).In(o.now, "/home/dev"))
					}
					shown[id] = true
				}
			}
		}
		for id, thing := range things {
			if !shown[id] && thing.Fate != account.Gone {
				t.Errorf("%s: %s is in no row", w.Name, thing.Called())
			}
		}
	}
}

// TestNoLineOfTopIsWiderThanItsTerminal plays keys at random on terminals of every size.
func TestNoLineOfTopIsWiderThanItsTerminal(t *testing.T) {
	keys := []top.Key{"j", "k", "G", "g", "n", "+", "-", " ", "l", "h", "enter", "esc", "?", "s", "/", "a", "m", "c", "p", "x", "y", "pgdn", "pgup", "backspace", "漢", "P", "r", "e", "\x1b", "\u202e"}
	random := rand.New(rand.NewPCG(7, 7))
	for _, w := range screen.Worlds(t) {
		for range 3 {
			width, height := 1+random.IntN(140), 1+random.IntN(30)
			o := show(w, width, height)
			for range 20 {
				o.types(keys[random.IntN(len(keys))])
				frame := o.Frame()
				if len(frame.Lines) > height {
					t.Fatalf("%s: %d lines on %d", w.Name, len(frame.Lines), height)
				}
				for _, line := range frame.Lines {
					if text := line.String(); human.Width(text) > width || strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || human.IsInvisible(r) }) {
						t.Fatalf("%s: at %d columns after %v: %q", w.Name, width, o.did, text)
					}
				}
			}
		}
	}
}

// TestTopIsDrawnWhenItReadsDifferently: until the moment for which it asks nothing changes.
func TestTopIsDrawnWhenItReadsDifferently(t *testing.T) {
	for _, w := range screen.Worlds(t) {
		for _, keys := range [][]top.Key{{"+"}, {"n", "enter"}} {
			o := show(w, 120, 40, keys...)
			for range 20 {
				before, wakes := o.Frame(), o.Wakes()
				if wakes.IsZero() {
					o.now = o.now.Add(48 * time.Hour)
				} else {
					o.now = wakes.Add(-time.Nanosecond)
				}
				o.hears(top.Moment(o.now))
				if !o.Frame().Equal(before) {
					t.Fatalf("%s: it changed before %v:\n%s\n%s", w.Name, wakes, before, o.Frame())
				}
				if wakes.IsZero() {
					break
				}
				o.now = wakes
				o.hears(top.Moment(o.now))
			}
		}
	}
}

// TestXAsksForWhatTheAccountSaysStopsIt goes to every row: what nothing stops is refused at once, in the words of the
// account, and the foot does not offer it.
func TestXAsksForWhatTheAccountSaysStopsIt(t *testing.T) {
	for _, w := range screen.Worlds(t) {
		things := map[string]*account.Thing{}
		for i := range w.Account.Things {
			things[w.Account.Things[i].Called()] = &w.Account.Things[i]
		}
		rows := show(w, vast, tall, "+")
		for before := ""; rows.chosen() != before; rows.types("j") {
			before = rows.chosen()
			copied := *rows
			o := &copied
			offers := strings.Contains(o.lines()[tall-1], "x stop")
			title, _, _ := strings.Cut(strings.TrimLeft(o.chosen(), " ▾▸"), "  ")
			o.types("x")
			isAsked := len(o.did) > 0 && o.did[0].Do == top.Plan
			if isAsked != offers {
				t.Errorf("%s: %s: offered %v, asked %v", w.Name, title, offers, isAsked)
			}
			thing := things[title]
			if thing == nil {
				continue
			}
			want, stops := w.Account.OrderFor(thing)
			stops = stops && w.Account.Decider.Rests != account.Paused
			if isAsked != stops {
				t.Errorf("%s: %s: asked %v, the account %v", w.Name, title, isAsked, stops)
			}
			if got := (account.Order{}); stops {
				got = o.did[0].Order
				if !slices.Equal(got.Words, want.Words) || got.Duplicates != want.Duplicates || got.IdleOver != want.IdleOver {
					t.Errorf("%s: %s: asked for %+v, want %+v", w.Name, title, got, want)
				}
			}
		}
	}
}

// TestNGoesToAllThatLeaksOrIsKept, each once, whatever is folded.
func TestNGoesToAllThatLeaksOrIsKept(t *testing.T) {
	for _, w := range screen.Worlds(t) {
		o, seen := show(w, vast, tall, "-"), map[string]bool{}
		for range min(len(w.Account.Things), 60) {
			o.types("n")
			title, _, _ := strings.Cut(strings.TrimLeft(o.chosen(), " ▾▸"), "  ")
			seen[title] = true
		}
		for i := range w.Account.Things {
			if thing := &w.Account.Things[i]; len(w.Account.Things) < 60 && (thing.Fate == account.Leaked || thing.Fate == account.Kept) && !thing.Held && !seen[human.Safe(thing.Called())] {
				t.Errorf("%s: n never goes to %s", w.Name, thing.Called())
			}
		}
	}
}

// TestAFilterFindsAThingByWhateverNamesIt and shows nothing that has none of the words.
func TestAFilterFindsAThingByWhateverNamesIt(t *testing.T) {
	for _, w := range screen.Worlds(t) {
		for i := range w.Account.Things[:min(len(w.Account.Things), 30)] {
			thing := &w.Account.Things[i]
			if thing.Held || thing.Fate == account.Gone {
				continue
			}
			for _, word := range []string{thing.Handle, thing.Name, strings.ToUpper(thing.Owner.Name), thing.Name + " " + string(thing.Fate)} {
				o := show(w, vast, tall, "/")
				o.hears(top.Pasted(word))
				o.types("enter", "+")
				if frame := o.Frame().String(); !strings.Contains(frame, human.Safe(thing.Called())) {
					t.Fatalf("%s: %q does not find %s:\n%s", w.Name, word, thing.Called(), frame)
				}
			}
		}
	}
	o := show(world(t, "laptop"), vast, tall, "/")
	o.hears(top.Pasted("claude-code 91"))
	if frame := o.Frame().String(); strings.Contains(frame, "codex") || !strings.Contains(frame, "Nothing here has") && !strings.Contains(frame, "claude-code") {
		t.Errorf("it shows\n%s", frame)
	}
}

// TestTopSorts within each section, and comes back.
func TestTopSorts(t *testing.T) {
	w := world(t, "laptop-daemon")
	before := show(w, vast, tall, "+").lines()
	o := show(w, vast, tall, "+")
	for _, order := range top.Orders()[1:] {
		o.types("s")
		if !strings.Contains(o.Frame().String(), "by "+order.String()) {
			t.Errorf("it does not say that it sorts by %s", order)
		}
	}
	for _, c := range []struct {
		order top.Order
		shows string
	}{{top.ByCPU, " cpu"}, {top.ByAge, "8h"}, {top.ByTree, "servers"}} {
		sorted := show(w, 100, 60)
		for !strings.Contains(sorted.Frame().String(), "by "+string(c.order)) && c.order != top.ByTree {
			sorted.types("s")
		}
		if !strings.Contains(sorted.Frame().String(), c.shows) {
			t.Errorf("by %s it does not show %q:\n%s", c.order, c.shows, sorted.Frame())
		}
	}
	names := []string{}
	for _, line := range o.lines() {
		if title, isRow := strings.CutPrefix(line, "  ▾ "); isRow && len(names) < 9 {
			names = append(names, title[:4])
		}
	}
	if !slices.IsSorted(names) {
		t.Errorf("by name: %q", names)
	}
	o.types("s")
	if after := o.lines(); !slices.Equal(after[3:len(after)-1], before[3:len(before)-1]) {
		t.Errorf("it does not come back to the order of scan:\n%s", strings.Join(after, "\n"))
	}
}

// TestAPinIsOfOneThingOrOfAllInARow and ends by the same key.
func TestAPinIsOfOneThingOrOfAllInARow(t *testing.T) {
	o := show(world(t, "orphan-due"), 100, 30, "j", "p")
	all := o.did[0]
	if all.Do != top.Pin || len(all.Words) < 1 {
		t.Fatalf("on a row: %+v", all)
	}
	pinned := show(world(t, "pinned"), 100, 30, "/")
	pinned.hears(top.Pasted("kept"))
	pinned.types("enter", "p")
	if len(pinned.did) != 1 || pinned.did[0].Do != top.Unpin || !strings.HasPrefix(pinned.did[0].Words[0], "56:") {
		t.Errorf("on what is pinned: %+v", pinned.did)
	}
	marked := show(world(t, "pinned-env"), 100, 30, "n", "n", "p")
	if len(marked.did) != 0 || !strings.Contains(marked.Frame().String(), "stays: ") {
		t.Errorf("on what no pin keeps: %+v\n%s", marked.did, marked.Frame())
	}
}

// TestAnAnswerThatComesLateOpensNothing: the page was closed, or another one is read.
func TestAnAnswerThatComesLateOpensNothing(t *testing.T) {
	o := show(world(t, "orphan-due"), 100, 30, "n", "enter", "esc")
	before := o.Frame().String()
	explanation, _ := o.Explain(o.did[0].Words[0])
	o.hears(top.Came{Effect: o.did[0], Explanation: explanation})
	if o.Frame().String() != before {
		t.Errorf("it opens\n%s", o.Frame())
	}
}

// TestAnAccountThatIsOlderChangesNothing: two questions may be answered the other way around.
func TestAnAccountThatIsOlderChangesNothing(t *testing.T) {
	o := show(world(t, "orphan-due"), 100, 30)
	before, older := o.Frame().String(), *world(t, "healthy").Account
	older.TakenAt = o.now.Add(-time.Second)
	o.hears(top.Seen{Account: &older})
	if o.Frame().String() != before {
		t.Errorf("it shows\n%s", o.Frame())
	}
}

// TestWithoutUTF8TopIsASCII in every world, on pages too.
func TestWithoutUTF8TopIsASCII(t *testing.T) {
	for _, w := range screen.Worlds(t) {
		for _, key := range []top.Key{"+", "?", "x"} {
			o := show(w, 90, 40)
			o.Model = top.New(top.Options{Home: "/home/dev"}, o.now)
			o.hears(top.Seen{Account: w.Account})
			o.types("n", key)
			if i := strings.IndexFunc(o.Frame().String(), func(r rune) bool { return r > unicode.MaxASCII }); i >= 0 {
				t.Fatalf("%s: %q", w.Name, o.Frame().String()[i:min(i+40, len(o.Frame().String()))])
			}
		}
	}
}

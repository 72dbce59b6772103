package screen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
)

// shown is a screen as text.
func shown(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// screens are all screens of a scene at a width, by their names.
func (s *scene) screens(t *testing.T, o Options) map[string]string {
	t.Helper()
	a := s.account()
	plan, result, history := s.sweep()
	wide := o
	wide.Wide = true
	all := map[string]string{
		"scan":        shown(t, func(w io.Writer) error { return Scan(w, a, o) }),
		"scan wide":   shown(t, func(w io.Writer) error { return Scan(w, a, wide) }),
		"status":      shown(t, func(w io.Writer) error { return Status(w, a, o) }),
		"plan":        shown(t, func(w io.Writer) error { return Plan(w, plan, o) }),
		"result":      shown(t, func(w io.Writer) error { return Result(w, result, o) }),
		"history":     shown(t, func(w io.Writer) error { return History(w, history, o) }),
		"history all": shown(t, func(w io.Writer) error { return History(w, history, wide) }),
		"pins":        shown(t, func(w io.Writer) error { return Pins(w, s.pinList(a), o) }),
		"short":       Short(a) + "\n",
	}
	for _, word := range s.explained(a) {
		all["explain "+word] = shown(t, func(w io.Writer) error { return s.explain(w, word, o) })
	}
	return all
}

// pinList is what is pinned in a scene, as it is listed.
func (s *scene) pinList(a *account.Account) (pins []account.Pin) {
	for i := range a.Things {
		if t := &a.Things[i]; t.Pinned != "" {
			pins = append(pins, account.Pin{Target: t.ID, Called: t.Name, There: true, Why: t.Pinned, Until: s.last().Add(90 * time.Minute)})
		}
	}
	return pins
}

// TestNoLineIsWiderThanTheTerminal, at any width, with colours and without.
func TestNoLineIsWiderThanTheTerminal(t *testing.T) {
	for _, s := range scenes(t) {
		for _, width := range []int{40, 60, 80, 120} {
			o := options(width)
			o.Color, o.UTF8 = width == 80, width != 60
			for name, text := range s.screens(t, o) {
				for line := range strings.SplitSeq(text, "\n") {
					if human.Width(line) > width {
						t.Errorf("%s: %s at %d: %d wide: %q", s.name, name, width, human.Width(line), line)
					}
				}
			}
		}
	}
}

// TestNoWordOfAnAnswerIsLost, however narrow the terminal is.
func TestNoWordOfAnAnswerIsLost(t *testing.T) {
	for _, s := range scenes(t) {
		a := s.account()
		for _, width := range []int{40, 60} {
			screens := s.screens(t, options(width))
			hasAll := func(name, answer string) {
				letters := func(text string) string { return strings.Join(strings.Fields(text), "") }
				if !strings.Contains(letters(screens[name]), letters(answer)) {
					t.Errorf("%s: %s at %d has not all of %q:\n%s", s.name, name, width, answer, screens[name])
				}
			}
			hasAll("scan", a.Headline.In(s.last(), "/home/dev"))
			hasAll("status", a.Headline.In(s.last(), "/home/dev"))
			for _, note := range a.Notes {
				hasAll("scan", note.String())
			}
		}
	}
}

// TestNothingThatOthersWroteSteersTheTerminal, and a terminal without UTF-8 gets ASCII alone.
func TestNothingThatOthersWroteSteersTheTerminal(t *testing.T) {
	for _, s := range scenes(t) {
		o := options(100)
		o.UTF8 = false
		for name, text := range s.screens(t, o) {
			if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') }); i >= 0 {
				t.Errorf("%s: %s has %q", s.name, name, text[i:min(len(text), i+20)])
			}
		}
	}
}

// TestEveryThingStandsOnEveryScreenInTheSameState: in one row of the tree, on the unfolded tree by its name and state,
// in the first sentence of its explanation, and in the sums.
func TestEveryThingStandsOnEveryScreenInTheSameState(t *testing.T) {
	for _, s := range scenes(t) {
		a := s.account()
		o := options(400)
		o.Wide = true
		wide, in := shown(t, func(w io.Writer) error { return Scan(w, a, o) }), map[string]account.Fate{}
		servers, isRow := map[account.Fate]int{}, map[string]bool{}
		for _, section := range a.Sections {
			for _, row := range section.Rows {
				servers[section.Fate] += row.Servers
				isRow[row.ID] = true
				for _, id := range row.Things {
					if before, twice := in[id]; twice {
						t.Errorf("%s: %s stands in %s and in %s", s.name, id, before, section.Fate)
					}
					in[id] = section.Fate
				}
			}
		}
		for i := range a.Things {
			thing := &a.Things[i]
			state := a.State(thing).In(s.last(), "/home/dev")
			if section := in[thing.ID]; section != sectionOf(thing, a) {
				t.Errorf("%s: %s is %s and stands in %q", s.name, thing.Called(), thing.Fate, section)
			}
			name := human.Safe(thing.Called())
			if !hasLine(wide, name, "") || !isRow[thing.ID] && !hasLine(wide, name, state) {
				t.Errorf("%s: %q, %q is not on the unfolded tree", s.name, name, state)
			}
			if !slices.ContainsFunc(wordsOf(thing.Fate), func(word string) bool { return strings.Contains(state, word) }) {
				t.Errorf("%s: %s is %s, and its state is %q", s.name, name, thing.Fate, state)
			}
			if len(a.Things) <= mostExplained {
				s.comparesAnswer(t, a, thing)
			}
		}
		sum := a.Summary
		if servers[account.Kept] != sum.Kept || servers[account.InUse] != sum.InUse+sum.Idle+endingInUse(a) || servers[account.Leaked] != sum.Leaked+sum.Ending-endingInUse(a) {
			t.Errorf("%s: rows count %v, the sums %+v", s.name, servers, sum)
		}
	}
}

// wordsOf are those of which a state has one.
func wordsOf(fate account.Fate) []string {
	switch fate {
	case account.Leaked:
		return []string{"leaked", "stops ", "is removed ", "paused until "}
	case account.Ending:
		return []string{"stopping", "about to stop"}
	}
	return []string{string(fate)}
}

// sectionOf is the section of a thing. What is being stopped below a live session stands with that.
func sectionOf(t *account.Thing, a *account.Account) account.Fate {
	switch {
	case t.Fate == account.Kept:
		return account.Kept
	case t.Fate == account.InUse, t.Fate == account.Idle, isEndingInUse(t, a):
		return account.InUse
	}
	return account.Leaked
}

func isEndingInUse(t *account.Thing, a *account.Account) bool {
	if t.Fate != account.Ending {
		return false
	}
	return t.Owner.Liveness == graph.LivenessLive || t.Held && a.ByID()[t.Client] != nil && isEndingInUse(a.ByID()[t.Client], a)
}

func endingInUse(a *account.Account) (n int) {
	for i := range a.Things {
		if t := &a.Things[i]; isEndingInUse(t, a) && !t.Held && t.Kind != graph.KindSession {
			n++
		}
	}
	return n
}

func hasLine(text, first, second string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if strings.Contains(line, first) && strings.Contains(line, second) {
			return true
		}
	}
	return false
}

// comparesAnswer holds the first sentence about a thing against its state.
func (s *scene) comparesAnswer(t *testing.T, a *account.Account, thing *account.Thing) {
	t.Helper()
	e, err := account.ExplainOf(s.look, thing.ID, nil)
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	word := map[account.Fate]string{
		account.InUse: " in use| failing| older copy", account.Idle: " does nothing", account.Leaked: " leaked", account.Kept: " kept", account.Ending: " stopped",
	}[thing.Fate]
	answer := e.Answer.In(s.last(), "")
	if !slices.ContainsFunc(strings.Split(word, "|"), func(word string) bool { return strings.Contains(answer, word) }) {
		t.Errorf("%s: %s is %s, and explain says %q", s.name, thing.Called(), thing.Fate, answer)
	}
	if s.reader >= 0 { // explain tells root's daemon's own view
		return
	}
	if coming := a.Coming(thing).In(s.last(), ""); thing.Fate != account.Ending && coming != "" && !strings.Contains(answer, coming) {
		t.Errorf("%s: %s %s, and explain says %q", s.name, thing.Called(), coming, answer)
	}
}

// TestNothingIsInThePastTenseThatWasNotDone: only the screens of what was done say stopped, freed or removed.
func TestNothingIsInThePastTenseThatWasNotDone(t *testing.T) {
	done := regexp.MustCompile(`(?i)\b(stopped|removed|freed|killed|swept)\b`)
	allowed := regexp.MustCompile(`(?i)(being|be|is|were|it) (stopped|removed|swept)|removed (now|in)|Today: |again after they were stopped`)
	for _, s := range scenes(t) {
		for name, text := range s.screens(t, options(100)) {
			if name == "result" || strings.HasPrefix(name, "history") || len(s.entries) > 0 && strings.HasPrefix(name, "explain") {
				continue
			}
			for line := range strings.SplitSeq(text, "\n") {
				if done.MatchString(line) && !allowed.MatchString(line) {
					t.Errorf("%s: %s says %q", s.name, name, line)
				}
			}
		}
	}
}

// commands are those of the program that a screen may name, with whether words follow.
var commands = map[string]bool{
	"scan": true, "sweep": true, "explain": true, "pin": true, "unpin": true, "resume": false, "install": false, "doctor": false, "policy": true, "history": true,
}

// TestACommandThatIsShownWorks: it is one of the program's, and its words mean something here.
func TestACommandThatIsShownWorks(t *testing.T) {
	shownCommand := regexp.MustCompile(`reaperd ([a-z]+)((?: (?:--?[a-z][a-z-]*|[A-Za-z0-9_./:*-]+))*)`)
	for _, s := range scenes(t) {
		everything := account.Of(s.look)
		for name, text := range s.screens(t, options(200)) {
			for _, match := range shownCommand.FindAllStringSubmatch(text, -1) {
				_, known := commands[match[1]]
				if !known && !strings.Contains(match[0], "reaperd is") && !isProse(match[1]) {
					t.Errorf("%s: %s names %q", s.name, name, match[0])
				}
				if !slices.Contains([]string{"sweep", "explain", "pin", "unpin"}, match[1]) {
					continue
				}
				for _, word := range strings.Fields(match[2]) {
					if strings.HasPrefix(word, "-") || word == "NAME" || word == "PID" || isDuration(word) {
						continue
					}
					if len(everything.Meant(word)) == 0 {
						t.Errorf("%s: %s: %q: %q means nothing here", s.name, name, match[0], word)
					}
				}
			}
		}
	}
}

// isProse reports a word behind "reaperd" in a sentence.
func isProse(word string) bool {
	return slices.Contains([]string{"knows", "stops", "stopped", "began", "left", "never", "does", "came", "itself"}, word)
}

func isDuration(word string) bool {
	_, err := human.ParseDuration(word)
	return err == nil && !strings.ContainsAny(word[len(word)-1:], "0123456789")
}

// TestJSONEqualsTheText: a program that reads the JSON, and writes the screens from it, writes the same.
func TestJSONEqualsTheText(t *testing.T) {
	for _, s := range scenes(t) {
		a := s.account()
		text, err := JSON(a)
		if err != nil {
			t.Fatal(err)
		}
		var read account.Account
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		for _, o := range []Options{options(100), {Width: 100, UTF8: true, Wide: true, Location: time.UTC}} {
			here, there := shown(t, func(w io.Writer) error { return Scan(w, a, o) }), shown(t, func(w io.Writer) error { return Scan(w, &read, o) })
			if here != there {
				t.Errorf("%s: scan differs:\n%s\n%s", s.name, here, there)
			}
		}
		for i := range a.Things {
			o := options(100)
			o.Wide = true
			names := []string{a.Things[i].Handle}
			here, there := shown(t, func(w io.Writer) error { return Scan(w, a.Narrow(names), o) }), shown(t, func(w io.Writer) error { return Scan(w, read.Narrow(names), o) })
			if here != there {
				t.Errorf("%s: scan %s differs:\n%s\n%s", s.name, names, here, there)
			}
			if i == mostExplained {
				break
			}
		}
		if here, there := shown(t, func(w io.Writer) error { return Status(w, a, options(100)) }), shown(t, func(w io.Writer) error { return Status(w, &read, options(100)) }); here != there || Short(a) != Short(&read) {
			t.Errorf("%s: status differs:\n%s\n%s", s.name, here, there)
		}
	}
}

// TestAUserSeesNothingOfAnothers: not a name, a folder or a number of what another user has.
func TestAUserSeesNothingOfAnothers(t *testing.T) {
	for _, s := range scenes(t) {
		if d := s.look.Decider; d.Kind == account.ByDaemon && !d.Whole {
			continue // a user's own daemon answers that user alone
		}
		for _, user := range []string{"dev", "alice", "bob"} {
			mine := account.Of(s.look).For(account.Reader{UID: users[user]})
			text, err := JSON(mine)
			if err != nil {
				t.Fatal(err)
			}
			var document any
			if err := json.Unmarshal(text, &document); err != nil {
				t.Fatal(err)
			}
			for i := range s.look.Graph.Snapshot.Processes {
				p := &s.look.Graph.Snapshot.Processes[i]
				if uid, known := p.UID.Get(); !known || uid == users[user] || uid == 0 {
					continue
				}
				if holdsPID(document, p.PID) {
					t.Errorf("%s: %s sees PID %d", s.name, user, p.PID)
				}
				for _, secret := range []string{fmt.Sprintf(`"%d:`, p.PID), "/home/" + p.User + "/"} {
					if bytes.Contains(text, []byte(secret)) && !strings.Contains(s.look.Policy.Source, secret) {
						t.Errorf("%s: %s sees %s", s.name, user, secret)
					}
				}
			}
			if mine.Today != s.look.Today[users[user]] {
				t.Errorf("%s: %s sees what was stopped of others: %+v", s.name, user, mine.Today)
			}
			if len(mine.Things) == 0 && (mine.Summary.Leaked+mine.Summary.Kept+mine.Summary.InUse > 0 || len(mine.Sessions) == 0 && len(mine.Sections) > 0) {
				t.Errorf("%s: %s sees sums of others: %+v", s.name, user, mine.Summary)
			}
		}
	}
}

// holdsPID reports that a document names a PID, under whatever key.
func holdsPID(document any, pid int) bool {
	switch document := document.(type) {
	case map[string]any:
		for key, value := range document {
			if !slices.Contains([]string{"ports", "summary", "reader_uid"}, key) && holdsPID(value, pid) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(document, func(value any) bool { return holdsPID(value, pid) })
	case string: // "claude-code 91"
		return strings.HasSuffix(document, " "+strconv.Itoa(pid)) || document == strconv.Itoa(pid)
	case float64:
		return document == float64(pid)
	}
	return false
}

package oneshot

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/outlook"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/word"
)

// Ended is what a daemon has seen of something that is no more.
type Ended struct {
	// Text says it for people: "claude-code 12 ended 10:06:45, left 2 servers: fetch 22, git
	// 31." Empty: the daemon knows nothing of it, or there is none.
	Text string
	Gone []serve.Gone // the thing itself, and what of a session is no more
	Left []serve.Left // what of a session still runs
	// Unseen are containers of a session, as the daemon saw them last, that no look can show
	// now.
	Unseen []serve.SeenContainer
	// Names are those of all that has ended, as far as the daemon knows.
	Names []string
}

// Ended tells the end of what a word means. acted are the ids of what reaperd has acted on, which
// is told elsewhere, each with the id of its session.
func (s *Sight) Ended(ctx context.Context, subject string, acted map[string]string) Ended {
	p := pastOf(s.told(ctx), s.View.Graph, acted)
	p.roots, p.besideRoots = s.beside(ctx).Of(0)
	return p.ended(subject)
}

// past is what a daemon remembers of things that are no more.
type past struct {
	sessions []departure
	things   []serve.Gone // that reaperd did not end, the oldest first
	looked   time.Time    // the present look
	told     *serve.State // what the daemon knows
	acted    map[string]string

	roots       beside.Daemon // root's daemon, beside that of another user
	besideRoots bool
}

// departure is a session that has ended, with what it left.
type departure struct {
	serve.Gone
	runs   []serve.Left          // what still runs
	unseen []serve.SeenContainer // containers that cannot be seen now
	why    string                // they cannot
	ended  []serve.Gone          // what is no more
	acted  bool                  // reaperd has acted on some of it
}

// pastOf is what a daemon has told, brought up to date by the present look: it may have
// looked half a minute ago.
func pastOf(told *serve.State, look *graph.Graph, acted map[string]string) past {
	p := past{told: told, acted: acted}
	if look != nil {
		p.looked = look.Snapshot.TakenAt
	}
	for _, l := range told.Leavers {
		l.Left = slices.Clone(l.Left)
		for i := range l.Left {
			l.Left[i] = restOf(l.Left[i], told.UnderWay, look)
		}
		p.sessions = append(p.sessions, leaverOf(l, look, acted))
	}
	for _, d := range p.sessions {
		p.things = append(p.things, d.ended...)
	}
	for _, one := range told.Gone {
		switch i := slices.IndexFunc(p.sessions, func(d departure) bool { return d.ID == one.ID }); {
		case one.Kind == graph.KindSession && i < 0:
			p.sessions = append(p.sessions, departure{Gone: one})
		case one.Kind == graph.KindSession:
			p.sessions[i].Gone = one
		case one.Kind != graph.KindSession && one.How != serve.EndedByReaperd:
			p.things = append(p.things, one)
		}
	}
	p.addPending(told.Pending, look, acted)
	for i := range p.sessions {
		d := &p.sessions[i]
		d.findUnseen(told.Containers, look)
		for _, session := range acted {
			d.acted = d.acted || d.ID != "" && session == d.ID
		}
		for _, one := range told.Gone {
			if _, isActedOn := acted[one.ID]; d.ID != "" && one.OwnerID == d.ID && !one.InUse && !isActedOn {
				d.ended = append(d.ended, one)
			}
		}
	}
	slices.SortStableFunc(p.sessions, func(a, b departure) int { return a.At.Compare(b.At) })
	return p
}

// addPending adds what was pending by the daemon's last look, and that the present one does not
// show any more.
func (p *past) addPending(pending []serve.Pending, look *graph.Graph, acted map[string]string) {
	for _, one := range pending {
		left := serve.Left{ID: one.ID, Kind: overview.KindServer, Name: one.Name, Handle: word.Thing{ID: one.ID, Container: one.Container}.Handle()}
		if one.Container != "" {
			left.Kind = overview.KindContainer
		}
		known := slices.ContainsFunc(p.things, func(thing serve.Gone) bool { return thing.ID == one.ID })
		if _, isActedOn := acted[one.ID]; known || isActedOn || mayRun(left, look) {
			continue
		}
		p.things = append(p.things, serve.Gone{ID: left.ID, Kind: graph.Kind(left.Kind), Name: left.Name, Handle: left.Handle, At: look.Snapshot.TakenAt, How: serve.EndedByItself})
	}
}

// leaverOf is a session that left something. What of that the present look does not show has
// ended since, by itself if reaperd has not acted on it.
func leaverOf(l serve.Leaver, look *graph.Graph, acted map[string]string) departure {
	d := departure{Gone: serve.Gone{ID: l.ID, Kind: graph.KindSession, Name: l.Name, At: l.Since, How: serve.EndedByItself}}
	if l.PID != 0 {
		d.Handle = fmt.Sprint(l.PID)
	}
	for _, left := range l.Left {
		_, isActedOn := acted[left.ID]
		switch {
		case mayRun(left, look):
			d.runs = append(d.runs, left)
		case isActedOn:
			d.acted = true
		default:
			d.ended = append(d.ended, serve.Gone{ID: left.ID, Kind: graph.Kind(left.Kind), Name: left.Name, Handle: left.Handle,
				Owner: l.Name, OwnerID: l.ID, At: look.Snapshot.TakenAt, How: serve.EndedByItself})
		}
	}
	return d
}

// findUnseen finds the containers of a session that the present look could not show.
func (d *departure) findUnseen(containers []serve.SeenContainer, look *graph.Graph) {
	for _, c := range unseen(containers, look) {
		if c.SessionID == d.ID && d.ID != "" {
			d.why = word.NoEngine(look.Snapshot)
			d.unseen = append(d.unseen, c)
			d.runs = slices.DeleteFunc(d.runs, func(left serve.Left) bool { return left.ID == c.ID })
		}
	}
}

// restOf is what a look shows of something that is being stopped and whose first process is gone; the thing itself if
// it shows nothing of that.
func restOf(left serve.Left, acts []serve.Begun, look *graph.Graph) serve.Left {
	if look == nil {
		return left
	}
	if _, runs := look.Target(left.ID); runs {
		return left
	}
	for i := range acts {
		for _, part := range acts[i].Tree {
			if t, runs := look.Target(part); runs && acts[i].Target == left.ID {
				left.ID, left.Handle = t.ID, word.Of(t).Handle()
				return left
			}
		}
	}
	return left
}

// mayRun reports something that a look shows, or could not show.
func mayRun(left serve.Left, look *graph.Graph) bool {
	if look == nil || !look.Snapshot.Complete() {
		return true
	}
	_, runs := look.Target(left.ID)
	return runs || left.Kind == overview.KindContainer && !look.Snapshot.Engines().ReadAll("")
}

// mostEnded is how many things of one name are told, the last ones.
const mostEnded = 5

// ended tells of what a word means. What reaperd has ended is told by its acts.
func (p past) ended(subject string) (all Ended) {
	var lines []string
	for _, d := range p.sessions {
		all.Names = append(all.Names, d.Name)
		isTold := p.isToldByActs(d.Gone) && len(d.runs)+len(d.unseen) == 0
		if (word.Thing{Name: d.Name, ID: d.ID}).IsMeant(subject) && !isTold {
			lines = append(lines, d.text()+p.comesNext(&d))
			all.Gone, all.Left, all.Unseen = append(append(all.Gone, d.Gone), d.ended...), append(all.Left, d.runs...), append(all.Unseen, d.unseen...)
		}
	}
	for _, one := range p.things {
		all.Names = append(all.Names, one.Name)
		if (word.Thing{Name: one.Name, ID: one.ID, Container: containerOf(one)}).IsMeant(subject) && !p.isToldByActs(one) {
			lines = append(lines, thingText(one, p.looked, p.session(one.OwnerID)))
			all.Gone = append(all.Gone, one)
		}
	}
	if more := len(lines) - mostEnded; more > 0 {
		lines = append([]string{human.Number(more) + " more of that name ended before."}, lines[more:]...)
	}
	all.Text = strings.Join(lines, "\n")
	return all
}

// alsoEnded tells of the sessions that a name means beside the one that lives ([past.also]).
func (s *Sight) alsoEnded(name string) []string {
	if s.host == nil {
		return nil
	}
	return pastOf(s.told(context.Background()), s.View.Graph, s.fate(name).Acted()).also(name)
}

// also tells of the sessions that a name means and that left something which still runs, or which
// reaperd ended a while ago: one sentence each.
func (p past) also(name string) (notes []string) {
	for _, d := range p.sessions {
		isMeant := (word.Thing{Name: d.Name, ID: d.ID}).IsMeant(name) && d.Handle != ""
		if isOpen := len(d.runs)+len(d.unseen) > 0; isMeant && (isOpen || d.acted && p.looked.Sub(d.At) < lately) {
			notes = append(notes, strings.TrimSuffix(d.text()+p.comesNext(&d), ".")+": reaperd explain "+human.Shell(d.Handle))
		}
	}
	return notes[max(0, len(notes)-mostEnded):]
}

// isToldByActs reports something that reaperd ended, by an act that is told.
func (p past) isToldByActs(one serve.Gone) bool {
	_, isActedOn := p.acted[one.ID]
	return isActedOn && one.How != serve.EndedByItself
}

// comesNext adds what the daemon does to what of a session still runs: " The daemon stops them in 24s."; empty if it does
// nothing.
func (p past) comesNext(d *departure) string {
	if len(d.runs) == 0 {
		return ""
	}
	switch {
	case p.told.Mode == policy.ModeReport && p.besideRoots:
		return " Your daemon only reports; " + p.roots.DecidesAnyhow() + "."
	case p.told.Mode == policy.ModeReport:
		return " The daemon only reports, and stops nothing."
	case p.told.Paused && len(p.told.UnderWay) == 0:
		return " " + human.Capital(outlook.Paused(p.told)) + "."
	}
	ids := make([]string, len(d.runs))
	for i, left := range d.runs {
		ids[i] = left.ID
	}
	var called func([]string) string
	if d.namesMore() {
		called = d.called
	}
	if text := outlook.NextOf(p.told, ids, time.Now(), called); text != "" {
		return " " + human.Capital(text) + "."
	}
	return ""
}

// called lists the names of those of the ids that still run: "fetch 22 and git 31".
func (d *departure) called(ids []string) string {
	var names []string
	for _, left := range d.runs {
		if slices.Contains(ids, left.ID) {
			names = append(names, calledLeft(left))
		}
	}
	return human.List(fewest(names))
}

// session is a session that has ended; nil if the daemon knows of none.
func (p past) session(id string) *departure {
	i := slices.IndexFunc(p.sessions, func(d departure) bool { return id != "" && d.ID == id })
	if i < 0 {
		return nil
	}
	return &p.sessions[i]
}

// containerOf is what a container is called; empty for anything else.
func containerOf(one serve.Gone) string {
	if one.Kind == graph.KindContainer {
		return one.Handle
	}
	return ""
}

// thingText tells of a target that the daemon did not end: "fetch 22, left by claude-code 12,
// ended, as seen 2026-11-22 10:06:46; the daemon's journal names no act on it." A docker run
// whose container a sweep by hand removed ended by that sweep; the journal has the container.
// What the daemon has not noticed yet has no time: that of the present look would change. of is
// the session that had it; nil if that lives, or is not known.
func thingText(one serve.Gone, looked time.Time, of *departure) string {
	text := calledGone(one)
	pid, _, _ := strings.Cut(one.OwnerID, ":")
	switch owner := human.Safe(strings.TrimSpace(one.Owner + " " + pid)); {
	case one.Owner == "":
	case of != nil && !one.InUse && one.How == serve.EndedByItself && one.At.Equal(of.At):
		return text + " ended with its session " + owner + ", as seen " + human.Moment(one.At.Local()) + "."
	case of != nil && !one.InUse:
		text += ", left by " + owner + ","
	default:
		text += " of " + owner
	}
	if one.How == serve.EndedByHand {
		return text + " ended by a sweep by hand, as seen " + human.Moment(one.At.Local()) + "."
	}
	if one.InUse {
		return text + " ended by itself, as seen " + human.Moment(one.At.Local()) + ": nothing was wrong with it, and the daemon's journal names no act on it."
	}
	if one.At.Equal(looked) { // the daemon has not noticed it yet
		return text + " has ended since the daemon looked last; its journal names no act on it."
	}
	return text + " ended, as seen " + human.Moment(one.At.Local()) + "; the daemon's journal names no act on it."
}

func calledGone(one serve.Gone) string {
	return human.Safe(strings.TrimSpace(one.Name + " " + one.Handle))
}

// namesMore reports that its text names other things behind those that still run.
func (d *departure) namesMore() bool {
	return len(d.unseen) > 0 || slices.ContainsFunc(d.ended, func(one serve.Gone) bool { return one.How == serve.EndedByItself })
}

// text tells when a session ended and what became of what it left.
func (d *departure) text() string {
	text := calledGone(d.Gone) + " ended"
	if !d.At.IsZero() {
		text += " " + human.Moment(d.At.Local())
	}
	with, later := d.byItself(func(at time.Time) bool { return !at.After(d.At) }), d.byItself(func(at time.Time) bool { return at.After(d.At) })
	acted := d.acted || slices.ContainsFunc(d.ended, func(one serve.Gone) bool { return one.How != serve.EndedByItself })
	switch {
	case len(d.runs) > 0 && !acted && len(later)+len(d.unseen) == 0:
		text += ", left " + kindsOf(d.runs) + ": " + namesOf(d.runs) + "."
	case len(d.runs) > 0:
		text += ". Of what it left " + human.Verb(len(d.runs), "this still runs", "these still run") + ": " + namesOf(d.runs) + "."
	case len(d.unseen) > 0:
		text += "."
	case acted || len(later) > 0:
		text += ". No server or container that it left runs any more."
	default:
		text += " and left no server or container behind."
	}
	text += d.unseenText()
	if len(with) > 0 {
		text += " With it ended " + strings.Join(with, ", ") + "."
	}
	if len(later) > 0 {
		text += " Ended, with no act in the daemon's journal: " + strings.Join(later, ", ") + "."
	}
	return text
}

// unseenText names what of a session cannot be seen now: " Of what it had this cannot be seen
// now: weather eager_fermi (docker is absent: no engine socket found)."
func (d *departure) unseenText() string {
	if len(d.unseen) == 0 {
		return ""
	}
	names := make([]string, len(d.unseen))
	for i, c := range d.unseen {
		names[i] = human.Safe(strings.TrimSpace(c.Name + " " + c.Handle))
	}
	text := " Of what it had " + human.Verb(len(names), "this", "these") + " cannot be seen now: " + strings.Join(names, ", ")
	if d.why != "" {
		text += " (" + human.Safe(d.why) + ")"
	}
	return text + "."
}

// byItself names what of a session ended without reaperd, at the chosen times.
func (d *departure) byItself(chosen func(time.Time) bool) (names []string) {
	for _, one := range d.ended {
		if one.How == serve.EndedByItself && chosen(one.At) {
			names = append(names, calledGone(one))
		}
	}
	return names
}

// kindsOf counts things by kind: "2 servers and 1 container".
func kindsOf(left []serve.Left) string {
	var kinds []overview.Kind
	counts := map[overview.Kind]int{}
	for _, one := range left {
		if counts[one.Kind]++; counts[one.Kind] == 1 {
			kinds = append(kinds, one.Kind)
		}
	}
	texts := make([]string, len(kinds))
	for i, kind := range kinds {
		texts[i] = human.Count(counts[kind], string(kind))
	}
	return human.List(texts)
}

func namesOf(left []serve.Left) string {
	names := make([]string, len(left))
	for i, one := range left {
		names[i] = calledLeft(one)
	}
	return strings.Join(names, ", ")
}

func calledLeft(left serve.Left) string {
	return human.Safe(strings.TrimSpace(left.Name + " " + left.Handle))
}

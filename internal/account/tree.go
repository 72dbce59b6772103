package account

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
)

// tree is what every screen shows, in its order: what leaks, by the session that left it;
// what is kept; what is in use, a session a row. An ended or orphaned session is one row
// with all that it has or left.
func (a *Account) tree() []Section {
	b := builder{account: a, rows: map[string]*row{}, holders: a.holders(), things: map[string]*Thing{}, above: map[string]string{}}
	for i := range a.Things {
		t := &a.Things[i]
		b.things[t.ID] = t
		for _, below := range t.Below {
			if t.Kind == graph.KindGateway {
				b.above[below] = t.ID
			}
		}
	}
	for i := range a.Sessions {
		b.addSession(&a.Sessions[i])
	}
	for i := range a.Things {
		b.addThing(&a.Things[i])
	}
	return b.sections()
}

// builder gathers rows by their ids.
type builder struct {
	account *Account
	rows    map[string]*row
	order   []*row
	holders map[string]string
	things  map[string]*Thing
	above   map[string]string // the gateway that has a thing, by id
}

// row is a row while it is gathered.
type row struct {
	Row
	fate    Fate
	session *Session
	things  []*Thing
}

// holders tells by id in whose row a thing stands: the session, or the thing without an owner
// in the table, at the end of the chain of owners.
func (a *Account) holders() map[string]string {
	owner := map[string]string{}
	for i := range a.Things {
		if t := &a.Things[i]; t.Owner.PID != 0 && t.Owner.Liveness == graph.LivenessLive {
			owner[t.ID] = idOf(t.Owner.PID, t.Owner.Start)
		}
	}
	holders := map[string]string{}
	for id := range owner {
		at := id
		for range len(a.Things) + 1 { // no more steps than things, whatever the owners say
			above, known := owner[at]
			if !known {
				break
			}
			at = above
		}
		holders[id] = at
	}
	return holders
}

func idOf(pid int, start uint64) string {
	return strconv.Itoa(pid) + ":" + strconv.FormatUint(start, 10)
}

func (b *builder) at(id string, fate Fate) *row {
	key := string(fate) + " " + id
	r := b.rows[key]
	if r == nil {
		r = &row{Row: Row{ID: id}, fate: fate}
		b.rows[key] = r
		b.order = append(b.order, r)
	}
	return r
}

func (b *builder) addSession(s *Session) {
	r := b.at(s.ID, InUse)
	r.session, r.Title, r.Place, r.Word = s, called(s.Name, strconv.Itoa(s.PID)), s.Cwd, strconv.Itoa(s.PID)
	r.MemoryBytes = s.MemoryBytes
}

// addThing adds a thing to the row in which it stands: that of a live session or, of what
// leaks or is kept, of the one that left it.
func (b *builder) addThing(t *Thing) {
	holder := cmp.Or(b.holders[t.ID], t.ID)
	above := b.things[holder]
	switch {
	case t.Kind == graph.KindSession && t.Fate != InUse && t.Fate != Idle: // an orphaned session with what it has
		r := b.at(t.ID, placeOf(t.Fate))
		r.Title, r.Place, r.Word = t.Called(), t.Cwd, t.Handle
		r.things = append(r.things, t)
		if s := b.rows[string(InUse)+" "+t.ID]; s != nil { // it is one row, and no longer in use
			r.session, r.MemoryBytes, s.session = s.session, s.MemoryBytes, nil
		}
	case t.Kind == graph.KindSession:
	case above != nil && above.Kind == graph.KindSession && above.Fate != InUse && above.Fate != Idle:
		b.put(b.at(holder, placeOf(above.Fate)), t)
	case t.Fate == InUse, t.Fate == Idle, t.Fate == Ending && t.Owner.Liveness == graph.LivenessLive:
		r := b.at(holder, InUse)
		if r.Title == "" {
			r.Title, r.Word = t.holderName(holder), strconv.Itoa(t.Owner.PID)
		}
		b.put(r, t)
	default:
		b.put(b.leftRow(t), t)
	}
}

// placeOf is the section in which a fate is shown.
func placeOf(fate Fate) Fate {
	if fate == Ending {
		return Leaked
	}
	return fate
}

// leftRow is the row of what leaks or is kept: by the session that left it, or that left the
// gateway above it; else by its kind and folder; of what is kept by the reason too.
func (b *builder) leftRow(t *Thing) *row {
	fate := placeOf(t.Fate)
	for range len(b.things) {
		gateway := b.things[b.above[t.ID]]
		if gateway == nil || placeOf(gateway.Fate) != fate {
			break
		}
		t = gateway
	}
	id := t.Group
	if t.Owner.Name != "" && t.Owner.PID != 0 && fate == Leaked {
		id = "left by " + idOf(t.Owner.PID, t.Owner.Start) + " " + t.Owner.Name
	}
	r := b.at(id, fate)
	if r.Title == "" {
		r.Title, r.Place, r.Word = t.Name, t.Cwd, t.Handle
		if id != t.Group {
			r.Title, r.Word = called(t.Owner.Name, strconv.Itoa(t.Owner.PID)), strconv.Itoa(t.Owner.PID)
		}
	}
	return r
}

func (b *builder) put(r *row, t *Thing) {
	r.things = append(r.things, t)
	if r.session == nil {
		r.MemoryBytes += t.MemoryBytes
	}
}

// holderName names the owner of a thing that is no session.
func (t *Thing) holderName(holder string) string {
	if holder == t.ID && t.Owner.PID == 0 {
		return t.Called()
	}
	return called(cmp.Or(t.Owner.Name, "process"), strconv.Itoa(t.Owner.PID))
}

// group is equal for things that one row shows, where no session left them.
func (t *Thing) group() string {
	parts := []string{string(t.Fate), t.Name, t.Cwd, string(t.Finding)}
	if t.Fate == Kept {
		parts = append(parts, t.Why)
	}
	return strings.Join(parts, "\x1f")
}

func (b *builder) sections() []Section {
	sections := []Section{{Fate: Leaked}, {Fate: Kept}, {Fate: InUse}}
	for _, r := range b.order {
		if r.session == nil && len(r.things) == 0 {
			continue
		}
		for i := range sections {
			if sections[i].Fate == r.fate {
				sections[i].Rows = append(sections[i].Rows, b.finished(r))
			}
		}
	}
	for i := range sections {
		slices.SortStableFunc(sections[i].Rows, func(x, y Row) int {
			return cmp.Or(cmp.Compare(y.MemoryBytes, x.MemoryBytes), cmp.Compare(x.Title, y.Title), cmp.Compare(x.ID, y.ID))
		})
	}
	return slices.DeleteFunc(sections, func(s Section) bool { return len(s.Rows) == 0 })
}

// finished is a gathered row with its counts and its state.
func (b *builder) finished(r *row) Row {
	slices.SortStableFunc(r.things, func(x, y *Thing) int {
		return cmp.Or(cmp.Compare(x.Name, y.Name), x.StartedAt.Compare(y.StartedAt), cmp.Compare(x.ID, y.ID))
	})
	r.Things = make([]string, 0, len(r.things))
	for _, t := range r.things {
		r.Things = append(r.Things, t.ID)
		if t.Counts() {
			r.Servers++
		}
	}
	if first := r.head(); first != nil && r.fate != InUse && len(r.things) > 1 && r.Title == first.Name {
		r.Title += " × " + human.Number(r.Servers)
	} else if first != nil && r.Title == first.Name {
		r.Title = first.Called()
	}
	r.State = b.account.stateOf(r)
	return r.Row
}

// head is the thing that a row is about, else its first; nil if it has none.
func (r *row) head() *Thing {
	for _, t := range r.things {
		if t.ID == r.ID {
			return t
		}
	}
	if len(r.things) == 0 {
		return nil
	}
	return r.things[0]
}

// stateOf is what is so of a row, and what comes.
func (a *Account) stateOf(r *row) Text {
	coming := a.rowComing(r)
	head := r.head()
	switch {
	case r.fate == Kept:
		return Words(head.Why)
	case r.fate == Leaked && head != nil:
		state := head.ownerState()
		if len(state) == 0 {
			state = a.ages(r.things)
		}
		return state.And(" · ", coming)
	case r.session == nil:
		return Words("no agent that reaperd knows").And(" · ", coming)
	}
	return a.sessionState(r.session).And(" · ", coming)
}

// sessionState is how long a live session runs, or has done nothing.
func (a *Account) sessionState(s *Session) Text {
	switch {
	case s.Fate == Ending:
		return Words("stopping")
	case s.Fate == Idle && !s.IdleSince.IsZero():
		state := Text{{Text: "idle "}, since(s.IdleSince)}
		if s.IdleAtLeast {
			state = Text{{Text: "idle ≥ "}, since(s.IdleSince)}
		}
		if s.Resume != "" {
			state = state.Then(Part{Text: " · resume: " + s.Resume})
		}
		if !s.StopsAt.IsZero() {
			state = state.And(" · ", stops(s.StopsAt, a.TakenAt, true))
		}
		return state
	case s.StartedAt.IsZero():
		return nil
	}
	return Text{since(s.StartedAt)}
}

// rowComing is what comes first of the things in a row.
func (a *Account) rowComing(r *row) Text {
	var next *Thing
	for _, t := range r.things {
		switch coming := a.Coming(t); {
		case len(coming) == 0:
		case next == nil, t.Fate == Ending, next.Fate != Ending && t.DueAt.Before(next.DueAt):
			next = t
		}
	}
	switch {
	case next == nil:
		return nil
	case r.fate == InUse && len(r.things) > 1: // of a live session's things, which
		return Words(next.Called()+" ").And("", a.Coming(next))
	}
	return a.Coming(next)
}

// ages are for how long these things run: "11h to 4d old".
func (a *Account) ages(things []*Thing) Text {
	var youngest, oldest time.Time
	for _, t := range things {
		if t.StartedAt.IsZero() {
			continue
		}
		if oldest.IsZero() || t.StartedAt.Before(oldest) {
			oldest = t.StartedAt
		}
		if t.StartedAt.After(youngest) {
			youngest = t.StartedAt
		}
	}
	if oldest.IsZero() {
		return nil
	}
	return Words(human.Ages(a.TakenAt.Sub(youngest), a.TakenAt.Sub(oldest)) + " old")
}

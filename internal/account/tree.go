package account

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
)

// This file puts every thing into one row of the tree that all screens show:
//
//	section  a row is                                       the things in it
//	leaked   a session that has ended, or the live one that  what it left, or let go of
//	         let go of it; else a folder
//	kept     a reason                                        of one name that it keeps
//	in use   a live session, else the program or service     what it holds, also through gateways
//	         that has the things, else the thing
//
// A session that leaks, or is kept, is one row with all that it holds. What is below a gateway
// that leaks is in the gateway's row.

// tree makes the sections, in the order in which every screen shows them.
func (a *Account) tree() []Section {
	b := newBuilder(a)
	for i := range a.Sessions {
		b.addSession(&a.Sessions[i])
	}
	for i := range a.Things {
		b.addThing(&a.Things[i])
	}
	for _, container := range b.held {
		if r := b.rows[b.things[container.Client].Group]; r != nil {
			b.put(r, container)
		}
	}
	for _, left := range a.AlsoLeft {
		r := b.at("also left by "+idOf(left.Session.PID, left.Session.Start)+" "+strconv.Itoa(left.uid.Or(nobody)), Kept)
		r.Title, r.Place, r.MemoryBytes = "also left by "+left.Session.String(), left.Cwd, left.MemoryBytes
		r.State = Words(few(left.Names))
	}
	return b.sections()
}

// few names the first of some things, and counts the others.
func few(names []string) string {
	const most = 8
	if more := len(names) - most; more > 0 {
		return strings.Join(names[:most], ", ") + " +" + human.Number(more)
	}
	return strings.Join(names, ", ")
}

// builder gathers rows by their fates and ids.
type builder struct {
	account *Account
	rows    map[string]*row
	order   []*row
	things  map[string]*Thing
	owner   map[string]string // the live owner of a thing, by id
	above   map[string]string // the gateway that has a thing, by id
	held    []*Thing          // containers that stand in the rows of their docker runs
}

// row is a row while it is gathered.
type row struct {
	Row
	fate    Fate
	session *Session
	things  []*Thing
}

func newBuilder(a *Account) *builder {
	b := &builder{account: a, rows: map[string]*row{}, things: map[string]*Thing{}, above: map[string]string{}, owner: map[string]string{}}
	for i := range a.Things {
		b.tie(&a.Things[i])
	}
	return b
}

func (b *builder) tie(t *Thing) {
	b.things[t.ID] = t
	if t.Owner.PID != 0 && t.Owner.Liveness == graph.LivenessLive {
		b.owner[t.ID] = idOf(t.Owner.PID, t.Owner.Start)
	}
	for _, below := range t.Below {
		if t.Kind == graph.KindGateway {
			b.above[below] = t.ID
		}
	}
}

// holder is in whose row a thing stands: the end of the chain of its live owners.
func (b *builder) holder(id string) string {
	for range len(b.things) + 1 { // no more steps than things, whatever the owners say
		above, known := b.owner[id]
		if !known {
			break
		}
		id = above
	}
	return id
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

// addThing adds a thing to the row in which it stands.
func (b *builder) addThing(t *Thing) {
	holder := b.holder(t.ID)
	above := b.things[holder]
	switch run := b.things[t.Client]; {
	case t.Fate == Gone:
	case t.Held && run != nil && run.Fate.section() == t.Fate.section(): // a container is shown as its docker run
		b.held = append(b.held, t)
	case t.Kind == graph.KindSession && t.Fate.isLeft():
		b.put(b.leftSession(t), t)
	case t.Kind == graph.KindSession:
		b.put(b.at(t.ID, InUse), t)
	case above != nil && above.Kind == graph.KindSession && above.Fate.isLeft():
		b.put(b.leftSession(above), t)
	case t.Fate == Ending && t.Owner.Liveness == graph.LivenessLive, t.Fate == InUse, t.Fate == Idle:
		b.put(b.usedRow(t, holder), t)
	case t.Fate == Kept:
		b.put(b.at(t.Name+"\x1f"+t.Cwd+"\x1f"+t.Why, Kept), t)
	default:
		b.put(b.leftRow(t), t)
	}
}

// isLeft reports what stands in another section than what is in use.
func (f Fate) isLeft() bool { return f != InUse && f != Idle }

// section is the section in which a fate is shown.
func (f Fate) section() Fate {
	switch f {
	case Kept:
		return Kept
	case InUse, Idle:
		return InUse
	}
	return Leaked
}

// leftSession is the row of a session that leaks or is kept: it is no longer in use.
func (b *builder) leftSession(t *Thing) *row {
	r := b.at(t.ID, t.Fate.section())
	r.Title, r.Place, r.Word = t.Called(), t.Cwd, t.Handle
	if s := b.rows[string(InUse)+" "+t.ID]; s != nil && s.session != nil {
		r.session, r.MemoryBytes, s.session = s.session, s.MemoryBytes, nil
	}
	return r
}

// usedRow is the row of what is in use: that of its session, else of the program or service that has
// it, else its own.
func (b *builder) usedRow(t *Thing, holder string) *row {
	if t.Owner.Kind == graph.OwnerService {
		holder = t.ID
	}
	r := b.at(holder, InUse)
	if r.Title == "" && holder != t.ID { // else it is its own title
		r.Place, r.Title, r.Word = t.Cwd, called(cmp.Or(t.Owner.Name, "process"), strconv.Itoa(t.Owner.PID)), strconv.Itoa(t.Owner.PID)
	}
	return r
}

// leftRow is the row of what leaks: by the session that left it, or that left the gateway above it;
// else by its folder.
func (b *builder) leftRow(t *Thing) *row {
	for range len(b.things) {
		gateway := b.things[b.above[t.ID]]
		if gateway == nil || gateway.Fate.section() != Leaked {
			break
		}
		t = gateway
	}
	if t.Owner.Name == "" || t.Owner.PID == 0 {
		return b.at("in "+cmp.Or(t.Cwd, t.Name), Leaked)
	}
	r := b.at("left by "+idOf(t.Owner.PID, t.Owner.Start), Leaked)
	r.Title, r.Word = called(t.Owner.Name, strconv.Itoa(t.Owner.PID)), strconv.Itoa(t.Owner.PID)
	r.Place = cmp.Or(r.Place, t.Cwd)
	return r
}

func (b *builder) put(r *row, t *Thing) {
	r.things = append(r.things, t)
	t.Group = string(r.fate) + " " + r.ID
	if r.session == nil {
		r.MemoryBytes += t.MemoryBytes
	}
}

func (b *builder) sections() []Section {
	sections := []Section{{Fate: Leaked}, {Fate: Kept}, {Fate: InUse}}
	for _, r := range b.order {
		for i := range sections {
			if sections[i].Fate == r.fate && (r.session != nil || len(r.things) > 0 || len(r.State) > 0) {
				sections[i].Rows = append(sections[i].Rows, b.finished(r))
			}
		}
	}
	for i := range sections {
		slices.SortStableFunc(sections[i].Rows, func(x, y Row) int {
			return cmp.Or(cmp.Compare(min(len(y.Things), 1), min(len(x.Things), 1)), // a row without things is last
				cmp.Compare(b.busy(&y), b.busy(&x)), cmp.Compare(y.MemoryBytes, x.MemoryBytes), cmp.Compare(x.Title, y.Title), cmp.Compare(x.ID, y.ID))
		})
	}
	return slices.DeleteFunc(sections, func(s Section) bool { return len(s.Rows) == 0 })
}

// busy is how much of one core what nobody uses takes, in percent, if that is half of it or more; else 0.
func (b *builder) busy(r *Row) (percent float64) {
	for _, id := range r.Things {
		if t := b.things[id]; t.Fate.isLeft() && t.CPUPercent != nil {
			percent += *t.CPUPercent
		}
	}
	if percent < 50 {
		return 0
	}
	return percent
}

// finished is a gathered row with its title, counts and state.
func (b *builder) finished(r *row) Row {
	a := b.account
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
	if r.Title == "" {
		a.name(r)
	}
	if len(r.State) == 0 {
		r.State = a.stateOf(r)
	}
	if percent := b.busy(&r.Row); percent > 0 {
		r.State = r.State.And(" · ", Words(fmt.Sprintf("uses %.0f%% of a core", percent)))
	}
	return r.Row
}

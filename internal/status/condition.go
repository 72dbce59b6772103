package status

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/serve"
)

// Condition is how a daemon is that answers. Every command tells it from here, so that
// none calls healthy what another calls not well:
//
//	it acts                      status, health: well
//	it acts, and not on all      status, health: well, but what is missing
//	it has just started          status, health --ready: not yet
//	it may not act               status, health --ready: not well; health: alive
type Condition struct {
	is     *serve.State
	faults []string // of the state directory, as the tool sees it
	now    time.Time
}

// Of is the condition of a daemon with that state. faults are those of its state directory
// ([state.Dir.Faults]).
func Of(is *serve.State, faults []string, now time.Time) Condition {
	return Condition{is, faults, now}
}

// OfPort is the condition that a port tells: why the daemon does not act, or nothing.
func OfPort(notReady string) Condition {
	return Condition{is: &serve.State{Ready: notReady == "", NotReady: notReady}}
}

// Acts reports whether the daemon acts on what is due, as far as it and the state
// directory are in order. A pause does not count.
func (c Condition) Acts() bool { return c.is.Ready && len(c.faults) == 0 }

// firstLook is how long a daemon may take for its first look before it counts as unwell.
const firstLook = time.Minute

// IsStarting reports that the daemon has not looked yet, and that nothing else is wrong.
func (c Condition) IsStarting() bool {
	is := c.is
	return !is.Ready && is.LastSweep == nil && len(is.Policy.Faults) == 0 && len(c.causes()) == 0 &&
		!is.StartedAt.IsZero() && c.now.Sub(is.StartedAt) < firstLook
}

// The words for conditions that several commands tell.
const (
	refused  = "a policy is refused"
	starting = "it has just started, and has not looked yet"
)

// sentence is for status.
func (c Condition) sentence() string {
	switch {
	case c.IsStarting():
		return starting
	case !c.Acts():
		return "IT IS NOT WELL: " + c.whyNot()
	}
	return but("it is well", c.misses(refused))
}

// Health is for supervisors and those who read what they ask.
func (c Condition) Health() string {
	switch {
	case c.IsStarting():
		return "alive: " + starting
	case !c.Acts():
		return "alive, but NOT WELL: " + c.whyNot()
	}
	return but("healthy", c.misses(refused+" (that"+moment(" of ", c.is.Policy.ReadAt)+" holds)"))
}

// but joins what is missing behind a word that says that all is well.
func but(well string, misses []string) string {
	if len(misses) == 0 {
		return well
	}
	return well + ", but " + strings.Join(misses, ", and ")
}

// misses are what a daemon that acts lacks: the newest policy, room for its state, a
// source, or the end of its last sweep. refused is how a refused policy is told.
func (c Condition) misses(refused string) []string {
	var misses []string
	if isRefused(c.is.Policy) {
		misses = append(misses, refused)
	}
	if c.is.NoRoomIn != "" {
		misses = append(misses, "its disk is full")
	}
	unseen := c.unseen()
	if len(unseen) > 0 {
		misses = append(misses, human.List(unseen)+" cannot be read")
	}
	if gone := c.goneWith(); len(gone) > 0 {
		misses = append(misses, human.List(gone)+" "+human.Are(len(gone))+" gone")
	}
	if last := c.is.LastSweep; last != nil && len(unseen) == 0 && last.Result != serve.ResultOK && last.Result != "" {
		misses = append(misses, "its last sweep "+sweepText(last.Result))
	}
	return misses
}

// unseen are the sources that are there and cannot be read, each kind once.
func (c Condition) unseen() []string {
	var names []string
	for _, source := range c.is.Sources {
		if source.Status == inventory.StatusError && !slices.Contains(names, source.Called()) {
			names = append(names, source.Called())
		}
	}
	return names
}

// goneWith are the engines that are no more and had containers when they were read last: nobody sees these now.
func (c Condition) goneWith() []string {
	var names []string
	if !slices.ContainsFunc(c.is.Containers, func(seen serve.SeenContainer) bool { return !seen.UnseenSince.IsZero() }) {
		return nil
	}
	for _, source := range c.is.Sources {
		if source.Name == inventory.SourceDocker && source.Status == inventory.StatusAbsent && !slices.Contains(names, source.Called()) {
			names = append(names, source.Called())
		}
	}
	return names
}

// whyNot is why the daemon acts on nothing.
func (c Condition) whyNot() string {
	if len(c.faults) > 0 {
		return "its state cannot be read"
	}
	return cmp.Or(c.is.NotReady, "it does not say why")
}

// causes are the faults that the tool sees in the state directory, and those that the
// daemon tells, each once.
func (c Condition) causes() []string {
	all := append(slices.Clone(c.faults), c.is.Faults...)
	slices.Sort(all)
	return slices.Compact(all)
}

// NoRoom tells what fails while the disk of a state directory is full. acts: the daemon acts
// all the same, with the room that its journal has set aside.
func NoRoom(dir string, acts bool) string {
	text := dir + " has no room for a file: pin, unpin and pause fail"
	if acts {
		text += ", and acts, the daemon's and those by hand, go on only for as long as the journal takes records"
	}
	return text
}

// sweepText is what became of a sweep that is not ok.
func sweepText(result serve.Result) string {
	if result == serve.ResultFailed {
		return "failed"
	}
	return "was " + string(result)
}

package human

import "strings"

// The words for what was done to a target, one each for reaping, screens,
// metrics and the journal.

// Result is what came of one act. The zero value is an act that is not over.
type Result string

// The results:
//
//	word          the target                                       it is gone  it counts as reaped
//	exited        exited when it was asked, or with its container  yes         yes
//	killed        had to be killed                                 yes         yes
//	already gone  had exited before                                yes         no
//	changed       is not the same any more: left alone             no          no
//	refused       was not touched; the detail says why             no          no
//	escaped       some of it left the tree and lives               no          no
//	failed        may still be there                               no          no
//	deferred      did not come up in time: nothing was done,       no          no
//	              and nothing is journalled of it
const (
	Exited       Result = "exited"
	Killed       Result = "killed"
	AlreadyGone  Result = "already gone"
	Changed      Result = "changed"
	Refused      Result = "refused"
	Escaped      Result = "escaped"
	ResultFailed Result = "failed"
	Deferred     Result = "deferred"
)

// Together is the detail of an act whose target another act had begun to end and ended: the
// daemon's and one by hand. It is counted once.
const Together = "another sweep was ending it at the same time"

// DoneBy tells by which rule something was done, and by which command if a person asked for it:
// "orphaned-servers, by hand: sweep".
func DoneBy(rule, byHand string) string {
	if byHand == "" {
		return rule
	}
	return rule + ", " + ByHand(byHand)
}

// ByHand tells the command by which a person asked for something: "by hand: sweep".
func ByHand(command string) string { return "by hand: " + command }

// Results are those that are reported, counted and journalled.
func Results() []Result {
	return []Result{Exited, Killed, AlreadyGone, Changed, Refused, Escaped, ResultFailed}
}

// Reaped reports whether the act ended its target.
func (r Result) Reaped() bool { return r == Exited || r == Killed }

// Gone reports whether the target runs no more.
func (r Result) Gone() bool { return r.Reaped() || r == AlreadyGone }

// With is a result with its detail, for people. A detail that has the word of the result,
// such as "1 process exited within 20ms of being asked", tells both.
func (r Result) With(detail string) string {
	switch {
	case detail == "":
		return string(r)
	case strings.Contains(detail, string(r)):
		return detail
	}
	return string(r) + ", " + detail
}

// Asked is the detail of an act whose processes ("2 processes") all exited when they were asked,
// within a time.
func Asked(processes, within string) string {
	return processes + " exited within " + within + " of being asked"
}

// Incomplete reports whether something of the target may be left although it was
// to be ended.
func (r Result) Incomplete() bool { return r == ResultFailed || r == Escaped }

// Stop is how a container that was told to stop came to its end. The zero value
// says that it is not known to have ended.
type Stop string

// The ends of containers.
const (
	StoppedByItself Stop = "exited" // within its stop timeout
	StoppedByKill   Stop = "killed" // it outlived that
	StoppedBefore   Stop = "before" // it is there and did not run
	StoppedAbsent   Stop = "absent" // there is no such container
)

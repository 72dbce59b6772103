// Package trigger has the words for what starts a sweep, one each for the loop, the
// metrics and what the daemon says of itself.
package trigger

// Trigger is what started a sweep. The zero value is none.
type Trigger string

// The triggers.
const (
	Start    Trigger = "start"
	Schedule Trigger = "schedule"
	Exit     Trigger = "exit"   // a session or gateway has ended
	Docker   Trigger = "docker" // the engine reported a container of ours
	Due      Trigger = "due"    // a pending verdict has come due
	Signal   Trigger = "signal"
	Reload   Trigger = "reload" // another policy holds
)

// Names are the triggers as the metrics label them.
func Names() []string {
	return []string{string(Start), string(Schedule), string(Exit), string(Docker), string(Due), string(Signal), string(Reload)}
}

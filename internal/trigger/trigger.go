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
	Signal   Trigger = "signal" // a person has asked for something, or a pin or a pause has ended
	Reload   Trigger = "reload" // another policy holds
)

// Text is the trigger for people; the metrics and the JSON keep the word that they had.
func (t Trigger) Text() string {
	if t == Signal {
		return "asked"
	}
	return string(t)
}

// Names are the triggers as the metrics label them.
func Names() []string {
	return []string{string(Start), string(Schedule), string(Exit), string(Docker), string(Due), string(Signal), string(Reload)}
}

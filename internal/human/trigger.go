package human

// The words for what starts a sweep, one each for the loop, the
// metrics and what the daemon says of itself.

// Trigger is what started a sweep. The zero value is none.
type Trigger string

// The triggers.
const (
	TriggerStart    Trigger = "start"
	TriggerSchedule Trigger = "schedule"
	TriggerExit     Trigger = "exit"   // a session or gateway has ended
	TriggerDocker   Trigger = "docker" // the engine reported a container of ours
	TriggerDue      Trigger = "due"    // a pending verdict has come due
	TriggerSignal   Trigger = "signal" // a person has asked for something, or a pin or a pause has ended
	TriggerReload   Trigger = "reload" // another policy holds
)

// Text is the trigger for people; the metrics and the JSON keep the word that they had.
func (t Trigger) Text() string {
	if t == TriggerSignal {
		return "asked"
	}
	return string(t)
}

// Triggers are the triggers as the metrics label them.
func Triggers() []string {
	return []string{string(TriggerStart), string(TriggerSchedule), string(TriggerExit), string(TriggerDocker), string(TriggerDue), string(TriggerSignal), string(TriggerReload)}
}

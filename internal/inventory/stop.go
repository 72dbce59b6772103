package inventory

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

package inventory

// Gap names a part of a source that could not be read. Its text is in the source's
// reason.
type Gap string

// The gaps of a process table. GapDenied is that of a container engine.
const (
	GapProcesses      Gap = "processes"       // processes are missing, or could not be read at all
	GapDescriptors    Gap = "descriptors"     // who holds which end of a pipe or a socket
	GapServices       Gap = "services"        // the main processes of services
	GapServiceManager Gap = "service-manager" // a service manager runs, and its folder is not here
	GapSockets        Gap = "sockets"         // who listens, and who is connected
	GapSilent         Gap = "silent"          // the memory or files of processes that do not answer
	GapDenied         Gap = "denied"          // everything: this user may not ask the engine
)

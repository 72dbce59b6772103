package scan

// cached is a value that is kept from look to look. The zero value is empty. These are kept:
//
//	fact about a process            valid while                                 at most
//	program, arguments, owner,      its stat line shows the same program        16 looks; 64 if the last look did not need its stdin
//	  working directory
//	what it has open, its I/O,      it has not run, as nobody else can          16 looks; 64 if the look did not read its stdin
//	  whether it gets datagrams       change that
//	state and figures               it has not run (changes that the kernel     16 looks
//	                                  makes meanwhile show later)
//	markers in its environment      its stat line shows the same program        no limit
//	cgroup and container            its program was not read again              as that
//	proportional set size           its resident size is within a sixteenth     16 looks
//
//	fact about the table            valid while                                 at most
//	main processes of services      no process below a service manager is       16 looks
//	                                  new or under a minute old
//	an open end that no process     (only if the process is anchored)           64 looks
//	  of the table holds
//
// Whether a process has run is told by its processor time, one call that is asked at every
// look of what mattered to the last one, else at every second. Where it cannot be asked, the
// stat lines are read.
type cached[K comparable, T any] struct {
	key   K // what the value was read of; while it is the same, so is the value
	value T
	asOf  uint32 // the look at which it was read; 0 is never
	until uint32 // from this look on it is read again, whatever the key
}

// forEver is the until of a value that only its key makes stale.
const forEver = ^uint32(0)

// stands reports that the value need not be read again at this look.
func (c *cached[K, T]) stands(key K, look uint32) bool {
	return c.asOf > 0 && c.key == key && look < c.until
}

// keep stores a value read at this look, which lasts for so many looks.
func (c *cached[K, T]) keep(key K, value T, look, lasts uint32) {
	*c = cached[K, T]{key: key, value: value, asOf: look, until: forEver}
	if lasts < forEver-look {
		c.until = look + lasts
	}
}

package scan

import (
	"errors"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Options are what a [Scanner] needs to know. The zero value looks at /proc
// and takes nobody for a candidate.
type Options struct {
	// ProcRoot is where the process table is mounted; empty is /proc. It is
	// used on Linux only.
	ProcRoot string
	// Candidate tells whether a process is worth reading whole: whatever may
	// be a session, a gateway or a server. It is asked at every look for every
	// process and sees PID, PPID, user, comm, exe, argv and cwd. Nil is nobody.
	Candidate func(*inventory.Process) bool
}

func (o Options) candidate(process *inventory.Process) bool {
	return o.Candidate != nil && o.Candidate(process)
}

// Look is what one look at the process table saw. Processes are sorted by PID.
// The maps and slices in them are those of other looks too: not to be written to.
type Look struct {
	Processes []inventory.Process
	Host      inventory.Host
	// Source is named "processes" and says how well the table could be read.
	Source inventory.Source
}

// Row is one line of the bare table: who it is, below whom, in what state.
type Row struct {
	ID    inventory.ID
	PPID  int
	State byte // one letter, as in ps
	SID   int
	PGID  int
}

// ErrGone is returned for an identity that no longer exists.
var ErrGone = errors.New("process is gone")

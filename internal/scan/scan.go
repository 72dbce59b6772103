package scan

import (
	"errors"
	"fmt"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Options are what a [Scanner] needs to know. The zero value looks at /proc
// and takes nobody for a candidate.
type Options struct {
	// ProcRoot is where the process table is mounted; empty is /proc. It is
	// used on Linux only.
	ProcRoot string
	// Candidate tells whether a process is worth reading whole: whatever may
	// be a session, a gateway or a server. It sees PID, PPID, user, comm, exe,
	// argv and cwd. It is asked at every look for every process that the look
	// lists, and for every other that has changed. Nil is nobody.
	Candidate func(*inventory.Process) bool
	// Selection says what a look may leave out. Nil: nothing, every process is
	// listed. It is used on Linux only; elsewhere everything is listed.
	Selection Selection
}

// Selection says which processes a look lists beside candidates, what is above
// and below them, and whoever holds an end of their stdin or stdout. Of any other
// nothing but a row is kept from look to look, and the look leaves it out.
type Selection interface {
	// Lists tells whether a process is listed all the same. It is asked as
	// Candidate is.
	Lists(*inventory.Process) bool
	// DependsOnFolder tells whether Candidate, Lists or Mark may answer otherwise for
	// a process in another working directory; where not, that is not read of what
	// is left out. It sees the process without cwd.
	DependsOnFolder(*inventory.Process) bool
	// Mark is a number by which Wants knows a process again that is left out.
	Mark(*inventory.Process) uint64
	// Wants tells, at every look, of each process that was left out so far,
	// whether it is to be read and asked for anew.
	Wants(id inventory.ID, mark uint64) bool
	// Version is another whenever Candidate, Lists or Mark would answer
	// differently for a process that has not changed.
	Version() uint64
}

func (o Options) candidate(process *inventory.Process) bool {
	return o.Candidate != nil && o.Candidate(process)
}

func (o Options) lists(process *inventory.Process) bool {
	return o.Selection == nil || o.Selection.Lists(process)
}

func (o Options) dependsOnFolder(process *inventory.Process) bool {
	return o.Selection == nil || o.Selection.DependsOnFolder(process)
}

// Look is what one look at the process table saw. Processes are sorted by PID.
// The maps and slices in them are those of other looks too: not to be written to.
type Look struct {
	Processes []inventory.Process
	// Unlisted is how many processes there are beside these.
	Unlisted int
	Host     inventory.Host
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

// unreadTables counts the processes whose descriptors could not be read: all, and
// those of other users than this.
func unreadTables(processes []inventory.Process, uid int) (all, others int) {
	for i := range processes {
		if process := &processes[i]; process.OpenFDs.IsUnreadable() {
			all++
			if process.UID.Or(uid) != uid {
				others++
			}
		}
	}
	return all, others
}

// unreadWords says so; empty is that there are none.
func unreadWords(all, others int) string {
	switch all {
	case 0:
		return ""
	case others:
		return fmt.Sprintf("descriptors of %d processes of other users could not be read", all)
	}
	return fmt.Sprintf("descriptors of %d processes could not be read", all)
}

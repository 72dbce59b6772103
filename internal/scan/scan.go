package scan

import (
	"errors"
	"fmt"
	"strings"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Options configure a [Scanner]. The zero value has no candidates.
type Options struct {
	// Candidate reports a process to be read whole: anything that may be a session, a
	// gateway or a server. It may use PID, PPID, user, comm, exe, argv and cwd. It is
	// called at every look for every listed process, and for every other that has
	// changed. nil means none.
	Candidate func(*inventory.Process) bool
	// Selection says which processes a look may leave out. nil means none: every
	// process is listed. Only Linux uses it.
	Selection Selection
	// Sockets are the paths of the sockets of container engines, of which a look finds out
	// who is connected to them. nil means none.
	Sockets func() []string
}

// Selection says which processes a look lists beside candidates, their ancestors and
// descendants, and the holders of their stdin and stdout. A look leaves the others
// out; only a small row of each is kept.
type Selection interface {
	// Lists reports a process to be listed anyway. It is called as Candidate is.
	Lists(*inventory.Process) bool
	// DependsOnFolder reports that Candidate, Lists or Mark may answer differently
	// for a process in another working directory. If not, that is not read for
	// processes that are left out. The process that it sees has no cwd.
	DependsOnFolder(*inventory.Process) bool
	// Mark is a number by which Wants recognises a process that was left out.
	Mark(*inventory.Process) uint64
	// Wants is asked at every look about each process that was left out: whether it
	// must be read again.
	Wants(id inventory.ID, mark uint64) bool
	// Version changes whenever Candidate, Lists or Mark would answer differently
	// about an unchanged process.
	Version() uint64
}

func (o Options) candidate(process *inventory.Process) bool {
	return o.Candidate != nil && o.Candidate(process)
}

func (o Options) sockets() []string {
	if o.Sockets == nil {
		return nil
	}
	return o.Sockets()
}

// selectAll is the selection of every process or, if it is false, of candidates and the
// processes related to them alone.
type selectAll bool

func (all selectAll) Lists(*inventory.Process) bool           { return bool(all) }
func (all selectAll) DependsOnFolder(*inventory.Process) bool { return bool(all) }
func (selectAll) Mark(*inventory.Process) uint64              { return 0 }
func (selectAll) Wants(inventory.ID, uint64) bool             { return false }
func (selectAll) Version() uint64                             { return 0 }

// Look is the result of one look at the process table. Processes are sorted by PID.
// Their maps and slices are shared with other looks and must not be changed.
type Look struct {
	Processes []inventory.Process
	// Unlisted is how many more processes there are.
	Unlisted int
	Host     inventory.Host
	// Source is named "processes" and says how well the table could be read.
	Source inventory.Source
	// Clients are those of container engines.
	Clients Clients
}

// failed is the look at a table that could not be read.
func failed(host inventory.Host, err error) Look {
	return Look{Host: host, Source: inventory.Source{Name: inventory.SourceProcesses, Status: inventory.StatusError, Reason: err.Error()}}
}

// sourceOf sums up how well the table could be read; missing is that it lacks processes.
func sourceOf(gaps []inventory.Gap, complaints []string, missing bool) inventory.Source {
	source := inventory.Source{Name: inventory.SourceProcesses, Status: inventory.StatusOK}
	if len(complaints) > 0 {
		source.Status, source.Reason, source.Gaps = inventory.StatusPartial, strings.Join(complaints, "; "), gaps
		source.RowsMissing = inventory.Known(missing)
	}
	return source
}

// ErrGone means that no process has that identity any more.
var ErrGone = errors.New("process is gone")

// unreadTables counts the processes whose descriptors could not be read: all, and
// those of other users.
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
	processes := fmt.Sprintf("%d processes", all)
	if all == 1 {
		processes = "1 process"
	}
	switch all {
	case 0:
		return ""
	case others:
		return "descriptors of " + processes + " of other users could not be read"
	}
	return "descriptors of " + processes + " could not be read"
}

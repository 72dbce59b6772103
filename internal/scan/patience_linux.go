package scan

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/ownfile"
)

// answerWithin is how long a process may take to let its memory or its files be read. After
// a read that took longer, looks leave the process alone for a while, silentFor at most; the
// check before an act asks it again as soon as the late answer has come. Reads of at most
// maxSilent processes of one user may be waiting; until one of them answers, the user's other
// processes are not asked: what they run is then not known, and they are kept.
const (
	answerWithin = time.Second
	maxSilent    = 4
	silentFor    = 5 * time.Minute
)

// patient asks for facts that a process can withhold for ever. Reading its arguments
// or environment takes the lock of its memory, which a thread of it can hold while it
// waits for a file system that never answers. The file that it names may be on such a
// file system too.
type patient struct {
	asker ownfile.Asker[inventory.ID]
	// sizes asks how much memory a process has. If that is much, the kernel takes
	// long, which does not make the process a silent one.
	sizes ownfile.Asker[inventory.ID]
	root  int // descriptor of the proc directory

	readers sync.Pool // those not in use
}

// newPatient asks for files below root, a descriptor of the proc directory. rest is for how
// long at most a process that answered late is left alone; 0 is not at all.
func newPatient(root int, rest time.Duration) *patient {
	asker := func() ownfile.Asker[inventory.ID] {
		return ownfile.Asker[inventory.ID]{Within: answerWithin, Most: maxSilent, Rest: rest}
	}
	return &patient{asker: asker(), sizes: asker(), root: root}
}

// question is a file of a process, below a directory.
type question struct {
	of   inventory.ID
	uid  int
	dir  int
	path string
	size bool // for [patient.sizes]
}

// asked reads a file and returns the result of read, which gets a descriptor that is
// closed when it returns. silent means that there was no answer in time, or that the
// process is left alone at present. For a file that cannot be opened the answer is the zero
// value, and not silent.
func asked[T any](p *patient, q question, read func(r *reader, fd int) T) (answer T, silent bool) {
	about, asker := ownfile.Question[inventory.ID]{Of: q.of, Group: q.uid}, &p.asker
	if q.size {
		asker = &p.sizes
	}
	if p.asker.IsSilent(q.of) || !asker.Ready(about) {
		return answer, true
	}
	fd, err := openFile(q.dir, q.path)
	if err != nil {
		return answer, false
	}
	answer, answered := ownfile.Ask(asker, about, func() T {
		r := p.borrow()
		defer p.giveBack(r)
		defer unix.Close(fd)
		return read(r, fd)
	})
	return answer, !answered
}

// askedAll reads one file for each of several processes, and passes the results of
// read to take, for those that could be opened and answered in time.
func askedAll[T any](p *patient, questions []question, read func(r *reader, fd, i int) T, take func(i int, answer T)) {
	type reply struct {
		opened bool
		is     T
	}
	about := make([]ownfile.Question[inventory.ID], len(questions))
	for i, q := range questions {
		about[i] = ownfile.Question[inventory.ID]{Of: q.of, Group: q.uid}
	}
	ownfile.Each(&p.asker, about, func(i int) reply {
		fd, err := openFile(p.root, questions[i].path)
		if err != nil {
			return reply{}
		}
		defer unix.Close(fd)
		r := p.borrow()
		defer p.giveBack(r)
		return reply{true, read(r, fd, i)}
	}, func(i int, got reply) {
		if got.opened {
			take(i, got.is)
		}
	})
}

// largestKept is how large a buffer may be, in bytes, that is kept for another question:
// one huge argument vector is no reason to hold its size for months.
const largestKept = 256 << 10

// borrow is a reader that nobody else uses.
func (p *patient) borrow() *reader {
	if r, _ := p.readers.Get().(*reader); r != nil {
		return r
	}
	return newReader(p.root)
}

func (p *patient) giveBack(r *reader) {
	if len(r.buf) <= largestKept {
		p.readers.Put(r)
	}
}

// maxNamed is how many processes a complaint names.
const maxNamed = 8

// complaint names the processes that do not answer; "" if all do.
func (p *patient) complaint() string {
	silent := p.asker.Silent()
	if len(silent) == 0 {
		return ""
	}
	pids := make([]int, 0, len(silent))
	for _, id := range silent {
		pids = append(pids, id.PID)
	}
	slices.Sort(pids)
	return fmt.Sprintf("memory or files of processes %v cannot be read, because nothing answers: what they run and wish is not known, and they are kept", pids[:min(len(pids), maxNamed)])
}

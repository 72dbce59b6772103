package scan

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// answerWithin is how long a process has to let its memory or its files be read.
const answerWithin = 250 * time.Millisecond

// maxSilent is how many processes of one user may keep a question unanswered.
// The other processes of that user are not asked until one of them answers: what
// they run is not known then, and they are kept.
const maxSilent = 4

// patience asks of processes what they can make wait for ever. To read a
// process's arguments or environment is to read its memory, which it can have
// mapped from a file system that never answers; so may be the file it names.
// Whoever waits is a goroutine of its own, of which there is never more than one
// for a process.
type patience struct {
	root   int // descriptor of the proc directory
	within time.Duration

	mu      sync.Mutex
	silent  map[inventory.ID]int // the users of the processes that have not answered
	readers []*reader            // those not in use
}

func newPatience(root int) *patience {
	return &patience{root: root, within: answerWithin, silent: map[inventory.ID]int{}}
}

// question is a file of a process, below a directory.
type question struct {
	of   inventory.ID
	uid  int
	dir  int
	path string
}

// asked reads a file and returns what read made of it, or false where there was
// no answer in time. read gets a descriptor that is closed when it returns.
func asked[T any](p *patience, q question, read func(r *reader, fd int) T) (answer T, answered bool) {
	if !p.mayAsk(q) {
		return answer, false
	}
	fd, err := openFile(q.dir, q.path)
	if err != nil {
		return answer, false
	}
	replies := make(chan T, 1)
	waiting := &waiting{question: q}
	go func() {
		r := p.borrow()
		reply := read(r, fd)
		unix.Close(fd)
		p.end(waiting, r)
		replies <- reply
	}()
	timeout := time.NewTimer(p.within)
	defer timeout.Stop()
	select {
	case reply := <-replies:
		return reply, true
	case <-timeout.C:
		p.giveUp(waiting)
		return answer, false
	}
}

// waiting is one question that was asked; ended is guarded by patience.mu.
type waiting struct {
	question
	ended bool
}

// mayAsk reports whether a process may be asked something.
func (p *patience) mayAsk(q question) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, silent := p.silent[q.of]; silent {
		return false
	}
	count := 0
	for _, uid := range p.silent {
		if uid == q.uid {
			count++
		}
	}
	return count < maxSilent
}

// giveUp notes that a process does not answer, unless it just did.
func (p *patience) giveUp(w *waiting) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !w.ended {
		p.silent[w.of] = w.uid
	}
}

// end notes that a question was answered, however late.
func (p *patience) end(w *waiting, r *reader) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w.ended = true
	delete(p.silent, w.of)
	if len(r.buf) <= largestKept {
		p.readers = append(p.readers, r)
	}
}

// borrow is a reader that nobody else uses.
func (p *patience) borrow() *reader {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.readers) - 1; last >= 0 {
		r := p.readers[last]
		p.readers = p.readers[:last]
		return r
	}
	return newReader(p.root)
}

// complaint names the processes that do not answer; empty where all do.
func (p *patience) complaint() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.silent) == 0 {
		return ""
	}
	pids := make([]int, 0, len(p.silent))
	for id := range p.silent {
		pids = append(pids, id.PID)
	}
	slices.Sort(pids)
	return fmt.Sprintf("reading the memory or files of processes %v is not answered: what they run is not known, and they are kept", pids[:min(len(pids), 8)])
}

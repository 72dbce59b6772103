package supervise

import (
	"slices"
	"syscall"
)

// process is one row of the process table.
type process struct {
	pid, parent int
	// start is the system's own mark: with the PID it names the process.
	start  uint64
	exited bool // a zombie
}

// below are the processes of a table that descend from one of them, parents
// before children.
func below(table []process, root int) []process {
	children := map[int][]process{}
	for _, p := range table {
		children[p.parent] = append(children[p.parent], p)
	}
	var found []process
	for wave := []int{root}; len(wave) > 0; wave = wave[1:] {
		found = append(found, children[wave[0]]...)
		for _, child := range children[wave[0]] {
			wave = append(wave, child.pid)
		}
	}
	return found
}

// freezeRounds bounds how often new children are looked for. Each round stops those
// that were started before their parent was stopped.
const freezeRounds = 50

// freeze stops the processes until no new ones appear, and returns them.
func (h *host) freeze(members func() []process) []process {
	var stopped []process
	for range freezeRounds {
		now := members()
		fresh := slices.DeleteFunc(slices.Clone(now), func(p process) bool {
			return slices.ContainsFunc(stopped, func(s process) bool { return s.pid == p.pid && s.start == p.start })
		})
		if len(fresh) == 0 {
			break
		}
		for _, p := range fresh {
			h.signal(p, syscall.SIGSTOP)
		}
		stopped = now
	}
	return stopped
}

// Seen is a process with its command line. The zero value is none.
type Seen struct {
	PID  int
	Argv []string
}

package inventory

import (
	"errors"
	"fmt"
	"slices"
)

// Validate reports everything in the snapshot that no host can have shown: a PID or a
// container id twice, a PID below 1, a process that is its own ancestor, an unknown
// kind or peer of a stream, no time.
func (s *Snapshot) Validate() error {
	var faults []error
	if s.TakenAt.IsZero() {
		faults = append(faults, errors.New("taken_at is missing"))
	}
	faults = append(faults, s.validateProcesses()...)
	faults = append(faults, s.validateContainers()...)
	return errors.Join(faults...)
}

func (s *Snapshot) validateProcesses() []error {
	var faults []error
	parents := make(map[int]int, len(s.Processes))
	for i := range s.Processes {
		process := &s.Processes[i]
		faults = append(faults, validateStream(process.Stdin, i, "stdin")...)
		faults = append(faults, validateStream(process.Stdout, i, "stdout")...)
		if process.PID < 1 {
			faults = append(faults, fmt.Errorf("processes[%d]: pid %d: a PID is 1 or more", i, process.PID))
			continue
		}
		if _, twice := parents[process.PID]; twice {
			faults = append(faults, fmt.Errorf("processes[%d]: pid %d is in the table twice", i, process.PID))
			continue
		}
		parents[process.PID] = process.PPID.Or(0)
	}
	return append(faults, cycles(s.Processes, parents)...)
}

// validateStream refuses an unknown word: read as "unknown" it would claim that
// somebody looked. A field that is left out is empty.
func validateStream(stream Fact[Stdio], i int, name string) []error {
	stdio := stream.Or(Stdio{})
	return append(validateWord(stdio.Kind, fmt.Sprintf("processes[%d].%s.kind", i, name), KindPipe, KindSocket, KindNull, KindTTY, KindFile, KindClosed, KindUnknown),
		validateWord(stdio.Peer, fmt.Sprintf("processes[%d].%s.peer", i, name), PeerOpen, PeerClosed, PeerUnknown)...)
}

func validateWord[W ~string](word W, place string, known ...W) []error {
	if word == "" || slices.Contains(known, word) {
		return nil
	}
	return []error{fmt.Errorf("%s: %q: want one of %v", place, word, known)}
}

// cycles reports each loop of parents once, at its lowest PID.
func cycles(processes []Process, parents map[int]int) []error {
	const seen = -1
	var faults []error
	state := make(map[int]int, len(parents))
	for i := range processes {
		round := i + 1
		for pid := processes[i].PID; ; pid = parents[pid] {
			if _, inTable := parents[pid]; !inTable || state[pid] == seen {
				break
			}
			if state[pid] == round {
				faults = append(faults, fmt.Errorf("pid %d is its own ancestor (parent %d)", pid, parents[pid]))
				break
			}
			state[pid] = round
		}
		for pid := processes[i].PID; state[pid] == round; pid = parents[pid] {
			state[pid] = seen
		}
	}
	return faults
}

func (s *Snapshot) validateContainers() []error {
	var faults []error
	seen := make(map[string]bool, len(s.Containers))
	for i := range s.Containers {
		id := s.Containers[i].ID
		switch {
		case id == "":
			faults = append(faults, fmt.Errorf("containers[%d]: id is missing", i))
		case seen[id]:
			faults = append(faults, fmt.Errorf("containers[%d]: id %s is in the list twice", i, id))
		}
		seen[id] = true
	}
	return faults
}

package inventory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// MaxFileBytes bounds what reading one snapshot file can cost. A table of
// 10,000 processes with 300 descriptors each stays below half of it.
const MaxFileBytes = 64 << 20

// Read reads one snapshot file. It refuses a file that is larger than
// [MaxFileBytes], is not one JSON object of version 1, or says what no host can
// have shown (see [Snapshot.Validate]). Errors say where and what.
func Read(r io.Reader) (*Snapshot, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxFileBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MaxFileBytes {
		return nil, fmt.Errorf("larger than %d MiB: no snapshot is", MaxFileBytes>>20)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("the file is empty: save one with `reaperd snapshot FILE`")
	}
	return decode(data)
}

func decode(data []byte) (*Snapshot, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	snapshot := &Snapshot{}
	if err := decoder.Decode(snapshot); err != nil {
		return nil, positioned(data, err)
	}
	if snapshot.Version == 0 && strings.Contains(string(data[:min(len(data), 4096)]), `"snapshots"`) {
		return nil, errors.New("the file holds several snapshots: give each a file of its own")
	}
	if snapshot.Version != Version {
		return nil, fmt.Errorf("version %d: this reaperd reads version %d", snapshot.Version, Version)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line %d: something follows the snapshot; one file holds one", line(data, decoder.InputOffset()))
	}
	return snapshot, snapshot.Validate()
}

// positioned gives a JSON error the line it happened in.
func positioned(data []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d: %w", line(data, syntax.Offset), err)
	case errors.As(err, &kind):
		return fmt.Errorf("line %d: %s: a JSON %s stands where %s belongs", line(data, kind.Offset), orTop(kind.Field), kind.Value, plainType(kind.Type.Kind().String()))
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("line %d: the file ends in the middle: it was cut off", line(data, int64(len(data))))
	}
	return err
}

func orTop(field string) string {
	if field == "" {
		return "the top level"
	}
	return field
}

// plainType names what belongs in a field, for a person.
func plainType(kind string) string {
	switch kind {
	case "string":
		return "a string"
	case "bool":
		return "true or false"
	case "slice", "array":
		return "a list"
	case "map", "struct":
		return "an object"
	}
	return "a number"
}

func line(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(offset, int64(len(data)))], []byte("\n"))
}

// Validate reports everything in the snapshot that no host can have shown: a
// PID or a container id twice, a PID below 1, a process that is its own
// ancestor, no time.
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
		if process.PID < 1 {
			faults = append(faults, fmt.Errorf("processes[%d]: pid %d: a PID is 1 or more", i, process.PID))
			continue
		}
		if _, twice := parents[process.PID]; twice {
			faults = append(faults, fmt.Errorf("processes[%d]: pid %d stands in the table twice", i, process.PID))
			continue
		}
		parents[process.PID] = process.PPID.Or(0)
	}
	return append(faults, cycles(s.Processes, parents)...)
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
			faults = append(faults, fmt.Errorf("containers[%d]: id %s stands in the list twice", i, id))
		}
		seen[id] = true
	}
	return faults
}

// Write writes a snapshot as [Read] reads it.
func Write(w io.Writer, s *Snapshot) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(s)
}

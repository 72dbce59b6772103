package inventory

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/human"
)

// maxFileBytes bounds what reading one snapshot file can cost. A table of
// 10,000 processes with 300 descriptors each stays below half of it.
const maxFileBytes = 64 << 20

// Read reads one snapshot file, compressed with gzip or not. It refuses a file that
// is larger than [maxFileBytes], is not one JSON object of version 1, or contradicts
// itself (see [Snapshot.Validate]). Errors name the place and the fault.
func Read(r io.Reader) (*Snapshot, error) {
	data, err := readAll(r)
	if err != nil {
		return nil, err
	}
	if len(data) > maxFileBytes {
		return nil, fmt.Errorf("larger than %d MiB: no snapshot is", maxFileBytes>>20)
	}
	data = bytes.TrimPrefix(data, []byte(byteOrderMark))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("the file is empty: save one with `reaperd snapshot FILE`")
	}
	return decode(data)
}

// byteOrderMark is what some editors write in front of UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// gzipMark is what a gzip file begins with.
const gzipMark = "\x1f\x8b"

// readAll decompresses a file and reads just enough to notice that it is too large.
func readAll(r io.Reader) ([]byte, error) {
	file := bufio.NewReader(r)
	if mark, _ := file.Peek(len(gzipMark)); string(mark) != gzipMark { // a read error comes up again below
		return io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	}
	data, err := decompress(file)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("the compressed file ends in the middle: it was cut off")
	case err != nil:
		return nil, fmt.Errorf("decompress: %w", err)
	}
	return data, nil
}

func decompress(r io.Reader) ([]byte, error) {
	reader, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(reader, maxFileBytes+1))
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
	if snapshot.Processes == nil && snapshot.Containers == nil && says(data, "complete") {
		return nil, errors.New("the file is a report of reaperd scan, sweep or explain: it tells what was judged, and a snapshot what was seen")
	}
	if snapshot.Version == 0 && !says(data, "version") {
		return nil, errors.New("no version: is it a reaperd snapshot?")
	}
	if snapshot.Version != Version {
		return nil, fmt.Errorf("version %d: this reaperd reads version %d", snapshot.Version, Version)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line %d: something follows the snapshot; one file holds one", line(data, decoder.InputOffset()))
	}
	snapshot.markTableMissing()
	snapshot.PlaceInContainers()
	return snapshot, snapshot.Validate()
}

// says reports that the file's object has a key.
func says(data []byte, key string) bool {
	var file map[string]json.RawMessage
	return json.NewDecoder(bytes.NewReader(data)).Decode(&file) == nil && file[key] != nil
}

// markTableMissing marks the process table as absent if the file has no processes.
// Every host has some, so none counts as gone.
func (s *Snapshot) markTableMissing() {
	for i := range s.Sources {
		source := &s.Sources[i]
		if source.Name == SourceProcesses && s.Processes == nil && source.Status != StatusError {
			source.Status, source.Reason = StatusAbsent, "the file leaves its processes out"
		}
	}
}

// positioned adds the line to a JSON error.
func positioned(data []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d: not JSON: %w", line(data, syntax.Offset), err)
	case errors.As(err, &kind):
		return fmt.Errorf("line %d: %s: a JSON %s where %s belongs", line(data, kind.Offset), orTop(kind.Field), kind.Value, plainType(kind.Type.Kind().String()))
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("line %d: the file ends in the middle: it was cut off", line(data, int64(len(data))))
	}
	if fault := badTime(data); fault != nil { // the time package does not say where
		return fault
	}
	return err
}

// badTime finds the first malformed time in otherwise valid JSON; nil if there is
// none.
func badTime(data []byte) error {
	f := &finder{data: data, decoder: json.NewDecoder(bytes.NewReader(data))}
	err := f.each('{', "", func(key, path string) error {
		switch key {
		case "processes":
			return f.times(path, "started_at", "tty_used_at")
		case "containers":
			return f.times(path, "created_at", "started_at", "finished_at")
		}
		return f.value(path, key == "taken_at")
	})
	if errors.Is(err, errNoSnapshot) {
		return nil
	}
	return err
}

// finder walks through the JSON of a snapshot.
type finder struct {
	data    []byte
	decoder *json.Decoder
}

// errNoSnapshot ends the walk through a file that is not shaped like a snapshot.
var errNoSnapshot = errors.New("no snapshot")

// each calls visit with the key and the path of each value in an object or a list.
// visit must consume the value. Scalars and null are skipped.
func (f *finder) each(open json.Delim, path string, visit func(key, path string) error) error {
	token, err := f.decoder.Token()
	if delim, is := token.(json.Delim); err != nil || is && delim != open {
		return errNoSnapshot
	} else if !is {
		return nil
	}
	for i := 0; f.decoder.More(); i++ {
		key, at := "", fmt.Sprintf("%s[%d]", path, i)
		if open == '{' {
			if token, err = f.decoder.Token(); err != nil {
				return errNoSnapshot
			}
			key, _ = token.(string)
			at = strings.TrimPrefix(path+"."+key, ".")
		}
		if err := visit(key, at); err != nil {
			return err
		}
	}
	if _, err = f.decoder.Token(); err != nil {
		return errNoSnapshot
	}
	return nil
}

// times checks these fields of each object in a list.
func (f *finder) times(list string, fields ...string) error {
	return f.each('[', list, func(_, path string) error {
		return f.each('{', path, func(key, path string) error {
			return f.value(path, slices.Contains(fields, key))
		})
	})
}

// value consumes a value, and reports it if it should be a time and is none.
func (f *finder) value(path string, isTime bool) error {
	var value json.RawMessage
	if err := f.decoder.Decode(&value); err != nil {
		return errNoSnapshot
	}
	if !isTime || new(time.Time).UnmarshalJSON(value) == nil {
		return nil
	}
	text := string(value)
	_ = json.Unmarshal(value, &text) // a string is shown without its quotes
	return fmt.Errorf("line %d: %s: %.40q is no RFC 3339 time", line(f.data, f.decoder.InputOffset()), path, text)
}

func orTop(field string) string {
	if field == "" {
		return "the top level"
	}
	return field
}

// plainType names a field's type for people.
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
	var faults []error
	stdio := stream.Or(Stdio{})
	switch stdio.Kind {
	case "", KindPipe, KindSocket, KindNull, KindTTY, KindFile, KindClosed, KindUnknown:
	default:
		faults = append(faults, fmt.Errorf("processes[%d].%s.kind: %q: want pipe, socket, null, tty, file, closed or unknown", i, name, stdio.Kind))
	}
	switch stdio.Peer {
	case "", PeerOpen, PeerClosed, PeerUnknown:
	default:
		faults = append(faults, fmt.Errorf("processes[%d].%s.peer: %q: want open, closed or unknown", i, name, stdio.Peer))
	}
	return faults
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

// Write writes a snapshot as [Read] reads it.
func Write(w io.Writer, s *Snapshot) error {
	var document bytes.Buffer
	encoder := json.NewEncoder(&document)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(s); err != nil {
		return err
	}
	_, err := w.Write(human.EscapeJSON(document.Bytes()))
	return err
}

// WriteCompressed is [Write], compressed with gzip. [Read] reads both.
func WriteCompressed(w io.Writer, s *Snapshot) error {
	zip := gzip.NewWriter(w)
	return errors.Join(Write(zip, s), zip.Close())
}

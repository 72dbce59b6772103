package inventory

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	var report struct{ Complete *bool }
	if err := json.Unmarshal(data, &report); err == nil && report.Complete != nil && snapshot.Processes == nil && snapshot.Containers == nil {
		return nil, errors.New("the file is a report of reaperd scan, sweep or explain: it tells what was judged, and a snapshot what was seen")
	}
	switch snapshot.Version {
	case Version:
	case 0:
		return nil, errors.New("no version: is it a reaperd snapshot?")
	default:
		return nil, fmt.Errorf("version %d: this reaperd reads version %d", snapshot.Version, Version)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line %d: something follows the snapshot; one file holds one", line(data, decoder.InputOffset()))
	}
	snapshot.markTableMissing()
	snapshot.PlaceInContainers()
	return snapshot, snapshot.Validate()
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
	var moment *time.ParseError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d: not JSON: %w", line(data, syntax.Offset), err)
	case errors.As(err, &kind):
		return fmt.Errorf("line %d: no JSON %s belongs here: %q", line(data, kind.Offset), kind.Value, kind.Field)
	case errors.As(err, &moment): // the time package does not say where
		return fmt.Errorf("%.40q is no RFC 3339 time", moment.Value)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("line %d: the file ends in the middle: it was cut off", line(data, int64(len(data))))
	}
	return err
}

func line(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(offset, int64(len(data)))], []byte("\n"))
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

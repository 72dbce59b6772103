package scan

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"unsafe"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Limits of the part of one command line that is kept, in bytes and in arguments, and of
// the part that its hash covers.
const (
	maxArgvBytes  = 32 << 10
	maxArguments  = 256
	maxHashedArgv = 1 << 20
)

// maxKeptArgv limits the bytes kept of all command lines together. Beyond it, briefArgv
// bytes are kept of each further one.
const (
	maxKeptArgv = 8 << 20
	briefArgv   = 1 << 10
)

// commandLine is the argument vector of a process.
type commandLine struct {
	argv []string
	// hash is "" if argv is complete.
	hash string
}

// size is the memory that it holds, in bytes.
func (c commandLine) size() int {
	size := 0
	for _, argument := range c.argv {
		size += len(argument) + int(unsafe.Sizeof(argument))
	}
	return size
}

// commandLineOf keeps at most keep bytes of a command line. more reads
// /proc/PID/cmdline piece by piece, and says of each piece whether it is the last; its
// bytes hold until the next call. If the command line is cut, the hash covers everything that is
// read. If it is longer than is read, the hash also covers its owner: it equals no
// other process's.
func commandLineOf(owner inventory.ID, keep int, more func() (piece []byte, last bool)) commandLine {
	next, last := more()
	argv, whole := splitArgv(next[:min(len(next), keep)])
	if whole && last && len(next) <= keep {
		return commandLine{argv: argv}
	}
	sum, read := sha256.New(), len(next)
	sum.Write(next)
	for !last && read < maxHashedArgv {
		next, last = more()
		sum.Write(next)
		read += len(next)
	}
	if !last {
		fmt.Fprintf(sum, "\x00%s", owner)
	}
	return commandLine{argv: argv, hash: hex.EncodeToString(sum.Sum(nil))}
}

// splitArgv splits the content of /proc/PID/cmdline. Empty arguments are kept,
// trailing ones too; no bytes are an empty vector, not an unknown one. A program that
// has written its own title may leave out the last NUL. whole is false if there are
// more arguments than are kept.
func splitArgv(data []byte) (argv []string, whole bool) {
	if len(data) == 0 {
		return []string{}, true
	}
	text := strings.TrimSuffix(string(data), "\x00")
	argv = make([]string, 0, min(maxArguments, strings.Count(text, "\x00")+1))
	for len(argv) < maxArguments {
		argument, rest, more := strings.Cut(text, "\x00")
		argv = append(argv, argument)
		if !more {
			return argv, true
		}
		text = rest
	}
	return slices.Clone(argv), false
}

// maxMarker is how much of one variable is read, in bytes. No valid marker is longer.
const maxMarker = 4 << 10

// markersIn picks the markers out of an environment, and wipes what it has read. If a name
// occurs twice, the first counts, as for getenv.
func markersIn(environ io.Reader) (map[string]string, error) {
	in, found, begun := bufio.NewReaderSize(environ, maxMarker), map[string]string{}, false
	for {
		entry, err := in.ReadSlice(0)
		if !begun {
			takeMarker(found, bytes.TrimSuffix(entry, []byte{0}))
		}
		clear(entry)
		switch begun = err == bufio.ErrBufferFull; {
		case err == io.EOF:
			return found, nil
		case err != nil && !begun:
			return nil, err
		}
	}
}

func takeMarker(found map[string]string, entry []byte) {
	name, value, ok := bytes.Cut(entry, []byte{'='})
	if _, seen := found[string(name)]; ok && !seen && slices.Contains(inventory.Markers(), string(name)) {
		found[string(name)] = string(value)
	}
}

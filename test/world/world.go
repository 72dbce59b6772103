// Package world reads worlds that are written as text: what one look after the other saw,
// one process a line ([Reader]).
package world

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

// Noon is when every world is looked at first.
var Noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// oldest is the age from which start marks count where a world has ages.
const oldest = 60 * 24 * time.Hour

// Reader reads looks, each after the one before.
//
//	PID PPID SID START STDIN STDOUT argv… [# attribute…]
//	container ID IMAGE START [attribute…]
//	host WORD                 see [Reader.host]
//	source NAME STATUS        see [Reader.source]
//	gone PID|ID…              what the looks before saw, and this one does not
//	set PID attribute…        what else is so of a process from now on
//	*N LINE                   the line N times: {n} counts from 0, {pid} from the first PID on
//
// START counts in seconds from an hour before [Noon] on, or is an age at noon, such as 4d or
// 2h30m, or a time since noon, such as +5s. A world has ages or seconds, and not both.
//
// A stream is null, tty, file, closed (by the process itself), "-" (not recorded), "?" (could
// not be read), or ID! (closed), ID~ (could not be told), ID@ (open, nobody found), ID@44,45
// (held by those), ID@/44 (a FIFO with a name), ID@? (open, nobody looked), where ID begins with
// p for a pipe and with s for a socket.
//
// A later look begins with what the one before has: what is gone holds no stream any more, and
// the children of a process that is gone are those of process 1.
type Reader struct {
	snapshot inventory.Snapshot
	uid      int
	users    map[string]int
}

// New is a reader of a world of root's on Linux, with an engine.
func New() *Reader {
	return &Reader{users: map[string]int{"root": 0, "dev": 1000, "alice": 1001, "bob": 1002}, snapshot: inventory.Snapshot{
		Version: 1,
		Host:    inventory.Host{OS: "linux", BootID: "b0", PIDNamespace: "init", UID: inventory.Known(0)},
		Sources: []inventory.Source{
			{Name: inventory.SourceProcesses, Status: inventory.StatusOK},
			{Name: inventory.SourceDocker, Endpoint: "unix:///var/run/docker.sock", Status: inventory.StatusOK},
		},
	}}
}

// Look is what a look saw, a time after noon.
func (r *Reader) Look(after time.Duration, text string) (*inventory.Snapshot, error) {
	for _, line := range strings.Split(text, "\n") {
		lines, err := repeated(strings.TrimSpace(line))
		for _, line := range lines {
			if err == nil {
				err = r.line(line)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("world: %q: %w", line, err)
		}
	}
	seen := r.snapshot
	seen.TakenAt = Noon.Add(after)
	seen.Sources, seen.Processes, seen.Containers = slices.Clone(seen.Sources), slices.Clone(seen.Processes), slices.Clone(seen.Containers)
	return &seen, seen.Validate()
}

// repeated are the lines for which one line stands.
func repeated(line string) ([]string, error) {
	if !strings.HasPrefix(line, "*") {
		return []string{line}, nil
	}
	times, line, _ := strings.Cut(line[1:], " ")
	n, err := strconv.Atoi(times)
	first, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	pid, isProcess := strconv.Atoi(first)
	var lines []string
	for i := range n {
		one := line
		if isProcess == nil {
			one = strconv.Itoa(pid+i) + " " + strings.ReplaceAll(rest, "{pid}", strconv.Itoa(pid+i))
		}
		lines = append(lines, strings.ReplaceAll(one, "{n}", strconv.Itoa(i)))
	}
	return lines, err
}

func (r *Reader) line(line string) error {
	line, attributes, _ := strings.Cut(line, " # ")
	fields := strings.Fields(line)
	if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
		return nil
	}
	switch rest := fields[1:]; fields[0] {
	case "host":
		return r.host(rest)
	case "source":
		return r.source(rest)
	case "container":
		return r.container(rest)
	case "gone":
		r.gone(rest)
		return nil
	case "set":
		return r.set(rest)
	}
	return r.process(fields, strings.Fields(attributes))
}

// host reads `host uid?`, a system, a PID namespace (`host other`), or who looks: `host user=dev`.
func (r *Reader) host(words []string) error {
	host := &r.snapshot.Host
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "uid?":
			host.UID = inventory.Fact[int]{}
		case "init", "other", "unknown":
			host.PIDNamespace = word
		case "linux", "darwin":
			host.OS = word
		case "self":
			host.SelfPID = atoi(value)
		case "user":
			r.uid = r.users[value]
			host.UID = inventory.Known(r.uid)
		default:
			return fmt.Errorf("unknown host %q", word)
		}
	}
	return nil
}

// source reads `source NAME STATUS reason…`, or of one that is left out: `source NAME none`, and
// `source all none`.
func (r *Reader) source(words []string) error {
	if len(words) < 2 {
		return fmt.Errorf("a source wants a status")
	}
	if words[1] == "none" {
		r.snapshot.Sources = slices.DeleteFunc(slices.Clone(r.snapshot.Sources), func(s inventory.Source) bool {
			return s.Name == words[0] || words[0] == "all"
		})
		return nil
	}
	for i := range r.snapshot.Sources {
		s := &r.snapshot.Sources[i]
		switch {
		case s.Name != words[0]:
		case words[1] == "unread-descriptors":
			s.Status, s.RowsMissing = inventory.StatusPartial, inventory.Known(false)
		case words[1] == "reached-by":
			for _, user := range words[2:] {
				s.RunnerUIDs = append(s.RunnerUIDs, r.users[user])
			}
		case words[1] == "hidden-runners":
			s.RunnersVisible = inventory.Known(false)
		default:
			s.Status, s.Reason = inventory.Status(words[1]), strings.Join(words[2:], " ")
		}
	}
	return nil
}

func (r *Reader) process(fields, attributes []string) error {
	if len(fields) < 6 {
		return fmt.Errorf("a process has six fields and its arguments")
	}
	mark, started, err := startOf(fields[3])
	p := inventory.Process{
		PID: atoi(fields[0]), PPID: inventory.Known(atoi(fields[1])), SID: inventory.Known(atoi(fields[2])), Start: mark, StartedAt: started,
		State: "S", Threads: inventory.Known(1), UID: inventory.Known(r.uid), User: r.called(r.uid), Argv: fields[6:], Cwd: "/home/dev",
	}
	for _, err2 := range []error{setStream(&p.Stdin, fields[4]), setStream(&p.Stdout, fields[5])} {
		if err == nil {
			err = err2
		}
	}
	for _, attribute := range attributes {
		if err == nil {
			err = r.apply(&p, attribute)
		}
	}
	if i := slices.IndexFunc(r.snapshot.Processes, func(q inventory.Process) bool { return q.PID == p.PID }); i >= 0 {
		r.snapshot.Processes = slices.Clone(r.snapshot.Processes)
		r.snapshot.Processes[i] = p
	} else {
		r.snapshot.Processes = append(r.snapshot.Processes, p)
	}
	return err
}

func (r *Reader) set(words []string) error {
	i := slices.IndexFunc(r.snapshot.Processes, func(p inventory.Process) bool { return strconv.Itoa(p.PID) == words[0] })
	if i < 0 {
		return fmt.Errorf("no process %s", words[0])
	}
	r.snapshot.Processes = slices.Clone(r.snapshot.Processes)
	for _, attribute := range words[1:] {
		if err := r.apply(&r.snapshot.Processes[i], attribute); err != nil {
			return err
		}
	}
	return nil
}

// called is the name of a user; empty for one that the world does not name.
func (r *Reader) called(uid int) string {
	for name, id := range r.users {
		if id == uid {
			return name
		}
	}
	return ""
}

// startOf reads a START: the start mark, and the time.
func startOf(text string) (mark uint64, at time.Time, err error) {
	if seconds, err := strconv.Atoi(text); err == nil {
		return uint64(seconds) * 100, Noon.Add(-time.Hour + time.Duration(seconds)*time.Second), nil
	}
	later, isLater := strings.CutPrefix(text, "+")
	age, err := human.ParseDuration(later)
	if isLater {
		age = -age
	}
	return uint64((oldest - age) / (10 * time.Millisecond)), Noon.Add(-age), err
}

// atoi is the number that a text is; 0 for any other text.
func atoi(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

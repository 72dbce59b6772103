package wrap

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/state"
)

// Request tells which files to change, and how.
type Request struct {
	// Names are clients, files, and folders, which stand for the files of clients in them. Empty
	// means all files of clients with a server in the user's home, in the working directory, and
	// in the folders above it.
	Names []string
	Undo  bool
	// Program is the name of reaperd to write into the files. Empty means its plain name
	// if PATH finds this program by it, else its path.
	Program string
	// State is where the changed files are recorded; empty records nothing. What is recorded there is
	// undone too, wherever it is.
	State state.Dir
}

// Rewriting is one file with its change.
type Rewriting struct {
	configFile
	change fileChange
}

// Plan is the answer to a request. [Plan.Write] writes the files.
type Plan struct {
	Rewritings []Rewriting
	Files      int      // the number of files read
	Remarks    []string // servers that stay as they are, one line each
	paths      []string // of the files read
	names      []string // as in Request
	clients    []string // that were named
	searched   bool     // the files, or some of them, were searched for and not named
	servers    int      // the servers that these files start
	open       int      // those that are not wrapped and can be
	unclear    int      // those that cannot be changed in place
	undo       bool
	state      state.Dir // as in Request
}

// MakePlan reads the files of a request. It returns an error if one of them cannot be
// changed. If some cannot be read, [IsUnread] of the error, the plan is of the others.
func MakePlan(ctx context.Context, r Request) (Plan, error) {
	files, faults, err := r.files(ctx)
	if err != nil {
		return Plan{}, err
	}
	if r.Program == "" && !r.Undo {
		if r.Program, err = ownName(); err != nil {
			return Plan{}, human.Failed("name it: --program /usr/local/bin/reaperd", "find this program: %w", err)
		}
	}
	plan := Plan{undo: r.Undo, names: r.Names, clients: r.clients(), searched: r.searches(), state: r.State}
	for _, file := range files {
		if err := plan.add(file, r); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", file.Path, err))
			continue
		}
		plan.Files++
		plan.paths = append(plan.paths, human.Safe(file.Path))
	}
	if len(faults) > 0 {
		return plan, unreadError{human.Failed(mend, "%w", errors.Join(faults...))}
	}
	return plan, nil
}

// unreadError is an error of what is there and could not be read.
type unreadError struct{ error }

func (e unreadError) Unwrap() error { return e.error }

// IsUnread reports an error of [MakePlan] that is about what is there and could not be read.
func IsUnread(err error) bool { return errors.As(err, new(unreadError)) }

// mend is the hint for a file with a fault.
const mend = "mend it, or name the other files; nothing was changed"

func (p *Plan) add(file configFile, r Request) error {
	change, err := r.change(file)
	if err != nil {
		return err
	}
	if !r.Undo {
		p.Remarks = append(p.Remarks, remarks(file, change)...)
	}
	for _, e := range change.Entries {
		if e.State != remote {
			p.servers++
		}
		switch e.State {
		case unwrapped:
			p.open++
		case unclear:
			p.unclear++
		}
	}
	if !change.isNone() {
		if link := file.linked(); link != "" {
			p.Remarks = append(p.Remarks, link)
		}
		p.Rewritings = append(p.Rewritings, Rewriting{file, change})
	}
	return nil
}

func (r Request) change(file configFile) (fileChange, error) {
	if r.Undo {
		return file.undo()
	}
	return file.wrap(r.Program)
}

// remarks names the servers that stay unchanged.
func remarks(file configFile, change fileChange) []string {
	var lines []string
	for _, e := range change.Entries {
		if e.State == unclear {
			lines = append(lines, fmt.Sprintf("%s: server %q stays as it is: %s", human.Safe(file.Path), e.Name, e.obstacle))
		}
	}
	return lines
}

// Scope says where files were searched for, and where not; "" if all were named.
func (p Plan) Scope() string {
	switch {
	case !p.searched:
		return ""
	case p.undo && p.state != "":
		return discover.LookedAt(p.clients, "your home", ", and those elsewhere that reaperd wrap has changed")
	}
	return discover.LookedAt(p.clients, "your home", "") + " A project elsewhere is not looked at, even if reaperd discover lists it: name its file."
}

// Nothing says why nothing needs to change.
func (p Plan) Nothing() string {
	switch {
	case p.Files == 0:
		return "No file was found in which a client is configured to start an MCP server."
	case p.servers == 0:
		return human.List(p.paths) + " " + human.Verb(len(p.paths), "starts", "start") + " no MCP server."
	case p.undo:
		return "Nothing to undo."
	}
	return "In " + human.List(p.paths) + " every server that can be wrapped is wrapped."
}

// DryRun says that nothing was written.
func (p Plan) DryRun() string {
	return "Would write this to " + human.Count(len(p.Rewritings), "file") + ". Nothing changed."
}

// Open says how many servers are not wrapped, and which command wraps them and no others.
func (p Plan) Open() string {
	command := human.Safe(human.Shell(append([]string{"reaperd", "wrap"}, p.names...)...))
	text := fmt.Sprintf("%s in %s %s not wrapped: %s does it.", human.Count(p.open, "server"), human.Count(len(p.Rewritings), "file"), human.Are(p.open), command)
	if p.unclear > 0 {
		text += fmt.Sprintf(" %d more %s to be changed by hand.", p.unclear, human.Verb(p.unclear, "has", "have"))
	}
	return text
}

// IsWrapped reports that no server is left to wrap, by a command or by hand.
func (p Plan) IsWrapped() bool { return p.open == 0 && p.unclear == 0 }

// Write writes every file of the plan and returns one line for each.
func (p Plan) Write() ([]string, error) {
	var done, written []string
	defer func() { p.note(written) }()
	for _, r := range p.Rewritings {
		if err := r.write(r.change, !p.undo); err != nil {
			return done, human.Failed(r.remedy(err), "%w", err)
		}
		written = append(written, r.Path)
		text := "changed: " + human.Safe(r.Path) + " (as it was: " + human.Safe(r.backup()) + ")"
		if p.undo {
			text = "changed back: " + human.Safe(r.Path)
		}
		done = append(done, text)
	}
	return done, nil
}

// ownName returns the name under which a client starts this program: the plain name if
// PATH finds it, since several machines may share the file.
func ownName() (string, error) {
	own, err := os.Executable()
	if err != nil {
		return "", err
	}
	found, err := exec.LookPath("reaperd")
	if err == nil && sameFile(found, own) {
		return "reaperd", nil
	}
	return own, nil
}

func sameFile(a, b string) bool {
	first, errA := os.Stat(a)
	second, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(first, second)
}

// note records the files that were written. What is not recorded is found all the same by who stands in its
// folder.
func (p Plan) note(written []string) {
	switch {
	case p.state == "" || len(written) == 0:
	case p.undo:
		_ = p.state.NoteWrapped(nil, written)
	default:
		_ = p.state.NoteWrapped(written, nil)
	}
}

package wrap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/state"
)

// Request tells which files to change, and how.
type Request struct {
	// Names are clients and files. Empty means all files of clients with a server in the
	// user's home, in the working directory, and in the folders above it.
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
	searched   bool     // the files, or some of them, were searched for and not named
	servers    int      // the servers that these files start
	open       int      // those that are not wrapped and can be
	wrapped    int      // those that run by reaperd exec
	unclear    int      // those that cannot be changed in place
	undo       bool
	state      state.Dir // as in Request
}

// MakePlan reads the files of a request. It returns an error if one of them cannot be
// changed.
func MakePlan(ctx context.Context, r Request) (Plan, error) {
	files, err := r.files(ctx)
	if err != nil {
		return Plan{}, err
	}
	if r.Program == "" && !r.Undo {
		if r.Program, err = ownName(); err != nil {
			return Plan{}, advice.Failed("name it: --program /usr/local/bin/reaperd", "find this program: %w", err)
		}
	}
	plan := Plan{Files: len(files), undo: r.Undo, searched: r.searches(), state: r.State}
	var faults []error
	for _, file := range files {
		plan.paths = append(plan.paths, human.Safe(file.Path))
		if err := plan.add(file, r); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", file.Path, err))
		}
	}
	if len(faults) > 0 {
		return Plan{}, advice.Failed("mend it, or name the other files; nothing was changed", "%w", errors.Join(faults...))
	}
	return plan, nil
}

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
		case wrapped:
			p.wrapped++
		case unclear:
			p.unclear++
		}
	}
	if !change.isNone() {
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

// remarks names the servers that stay unchanged, and the containers that a shell line
// starts: exec cannot tie those to their client.
func remarks(file configFile, change fileChange) []string {
	var lines []string
	for _, e := range change.Entries {
		switch {
		case e.State == unclear && e.wide:
			lines = append(lines, fmt.Sprintf("%s: server %q has its command line in one text, and not every client splits that the same way: it stays as it is; write it as command and args", human.Safe(file.Path), e.Name))
		case e.State == unclear:
			lines = append(lines, fmt.Sprintf("%s: server %q is written in a way that is not changed in place: it stays as it is", human.Safe(file.Path), e.Name))
		case e.State == unwrapped && e.runsContainerInShell():
			lines = append(lines, fmt.Sprintf("%s: server %q runs a container in a shell's line: its processes are ended, its container is left to the daemon", human.Safe(file.Path), e.Name))
		}
	}
	return lines
}

// searches reports that not every file is named.
func (r Request) searches() bool { return len(r.Names) == 0 || slices.ContainsFunc(r.Names, isClient) }

func isClient(name string) bool { return slices.Contains(discover.Clients(), name) }

// Scope says where files were searched for, and where not; "" if all were named.
func (p Plan) Scope() string {
	switch {
	case !p.searched:
		return ""
	case p.undo && p.state != "":
		return discover.LookedAt("your home", ", and those elsewhere that reaperd wrap has changed")
	}
	return discover.LookedAt("your home", "") + " A project elsewhere is not looked at, even if reaperd discover lists it: name its file."
}

// Nothing says why nothing needs to change.
func (p Plan) Nothing() string {
	switch {
	case p.Files == 0:
		return "No file was found in which a client is configured to start an MCP server."
	case p.servers == 0 && p.Files == 1:
		return "This file starts no MCP server."
	case p.servers == 0:
		return "These files start no MCP server."
	case p.undo && p.wrapped > 0:
		return fmt.Sprintf("Nothing to undo: %s %s by a reaperd exec that was written by hand, and %s it.",
			human.Count(p.wrapped, "server"), human.Verb(p.wrapped, "runs", "run"), human.Verb(p.wrapped, "keeps", "keep"))
	case p.undo:
		return "Nothing is wrapped."
	}
	which := "Every server"
	if p.unclear > 0 {
		which = "Every other server"
	}
	return fmt.Sprintf("%s that %s %s is wrapped.", which, human.List(p.paths), human.Verb(len(p.paths), "starts", "start"))
}

// Open says how many servers are not wrapped.
func (p Plan) Open() string {
	return fmt.Sprintf("%s in %s %s not wrapped: reaperd wrap does it.", human.Count(p.open, "server"), human.Count(len(p.Rewritings), "file"), human.Are(p.open))
}

// Write writes every file of the plan and returns one line for each.
func (p Plan) Write() ([]string, error) {
	var done, written []string
	defer func() { p.note(written) }()
	for _, r := range p.Rewritings {
		if err := r.write(r.change, !p.undo); err != nil {
			return done, advice.Failed("", "%w", err)
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

// files opens the named files, or without names all that are discovered and, to undo, recorded.
func (r Request) files(ctx context.Context) ([]configFile, error) {
	known, err := ownConfigurations(ctx)
	if err != nil {
		return nil, err
	}
	if r.Undo {
		r.addRecorded(known)
	}
	paths := map[string]string{}
	for _, name := range r.Names {
		switch {
		case isClient(name):
			for path, client := range known {
				if client == name {
					paths[path] = client
				}
			}
		case !strings.ContainsAny(name, "/.") && !exists(name):
			return nil, advice.Misused("clients: "+strings.Join(discover.Clients(), ", "), "%q is neither a client nor a file", name)
		default:
			path, err := filepath.Abs(name)
			if err != nil { // the working directory was removed
				return nil, advice.Failed("cd to a folder that is there", "find %s: %w", name, err)
			}
			paths[path] = cmp.Or(known[path], discover.ClientOf(path))
		}
	}
	if len(r.Names) == 0 {
		paths = known
	}
	return openAll(paths)
}

// addRecorded adds the files that wrap has changed elsewhere, as far as they are there.
func (r Request) addRecorded(known map[string]string) {
	if r.State == "" {
		return
	}
	recorded, _ := r.State.Wrapped(os.Geteuid()) // without the record only what is found is undone, as Scope says
	for _, path := range recorded {
		if known[path] == "" && exists(path) {
			known[path] = discover.ClientOf(path)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func openAll(paths map[string]string) ([]configFile, error) {
	var files []configFile
	for path, client := range paths {
		file, err := openFile(path, client)
		if err != nil {
			return nil, advice.Failed("name a file that can be read, or a client: "+strings.Join(discover.Clients(), ", "), "read configuration: %w", err)
		}
		files = append(files, file)
	}
	slices.SortStableFunc(files, func(a, b configFile) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

// ownConfigurations returns the files with servers in the user's home and around the
// working directory, each with its client. Files that could not be read are among them:
// what reads them again says why.
func ownConfigurations(ctx context.Context) (map[string]string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, advice.Failed("name the file", "%w", err)
	}
	set := discover.Around(ctx, []discover.Home{{Dir: home, UID: os.Getuid()}})
	found := map[string]string{}
	for _, server := range set.Servers() {
		if server.Client != "docker-mcp" { // a registry has images and starts nothing
			found[server.File] = server.Client
		}
	}
	return found, addFaulty(found, set)
}

// addFaulty adds the files of clients that could not be read. It returns an error if a
// folder could not be read.
func addFaulty(found map[string]string, set discover.Set) error {
	for _, fault := range set.Faults() {
		if found[fault.File] != "" || slices.Contains(set.Files(), fault.File) {
			continue // some of its servers could be read
		}
		client := discover.ClientOf(fault.File)
		if client == "" {
			return advice.Failed("name the file", "%s: %s", fault.File, fault.Text)
		}
		if client != "docker-mcp" {
			found[fault.File] = client
		}
	}
	return nil
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

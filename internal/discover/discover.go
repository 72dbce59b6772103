package discover

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Bounds on how far from a session's working directory its project is looked
// for, and on how many such directories are looked at.
const (
	maxParents  = 8
	maxWorkdirs = 1000
)

// Options are how to look.
type Options struct {
	// Guarded keeps away from what macOS asks its user about ([Forbidden]). It
	// is for the daemon there.
	Guarded bool
}

// Workdir is the working directory of a live session and the session's user,
// whose servers the files found there are.
type Workdir struct {
	Dir string
	UID int
}

// Warning is what kept a file, or part of it, from being used.
type Warning struct {
	File string
	Line int // 0 is unknown
	Text string
}

// Discoverer reads configurations and remembers them from one look to the next.
// It is for one goroutine.
type Discoverer struct {
	guarded  bool
	asRoot   bool
	readings map[place]*reading
	set      Set
	stale    bool // the set is older than the readings
}

// place is a file as one user's configuration of one folder.
type place struct {
	file   string
	folder string
	uid    int
}

// reading is what a file last said.
type reading struct {
	stamp   stamp // zero: not read
	servers []Server
	warning Warning
	// part marks what is no server by itself: a registry, a catalog.
	part bool
}

// New makes a discoverer that has seen nothing yet.
func New(options Options) *Discoverer {
	return &Discoverer{guarded: options.Guarded, asRoot: os.Geteuid() == 0, readings: map[place]*reading{}}
}

// Configured is what the files of these homes and working directories say now.
// Only what changed since the last call is read. Each warning is returned once,
// until its file changes; where the context ends the look early, what was known
// of the rest stays.
func (d *Discoverer) Configured(ctx context.Context, homes []Home, workdirs []Workdir) (Set, []Warning) {
	l := &look{
		Discoverer: d, homes: distinct(slices.Clone(homes)), workdirs: DistinctWorkdirs(workdirs),
		open: map[Home]reach{}, visited: map[place]bool{}, folders: map[Workdir]bool{},
	}
	defer l.close()
	for _, home := range l.homes {
		if ctx.Err() == nil {
			l.home(home)
		}
	}
	for _, workdir := range l.workdirs {
		if ctx.Err() == nil {
			l.workdir(workdir)
		}
	}
	l.finish(ctx.Err())
	return d.set, l.warnings
}

// DistinctWorkdirs sorts working directories and bounds how many there are.
func DistinctWorkdirs(workdirs []Workdir) []Workdir {
	workdirs = slices.Clone(workdirs)
	slices.SortFunc(workdirs, func(a, b Workdir) int {
		return cmp.Or(cmp.Compare(a.Dir, b.Dir), cmp.Compare(a.UID, b.UID))
	})
	workdirs = slices.Compact(workdirs)
	return workdirs[:min(len(workdirs), maxWorkdirs)]
}

// look is one call of Configured.
type look struct {
	*Discoverer
	homes    []Home
	workdirs []Workdir
	open     map[Home]reach
	visited  map[place]bool
	folders  map[Workdir]bool
	toolkit  []Server
	warnings []Warning
}

func (l *look) close() {
	for _, r := range l.open {
		_ = r.close() // a directory that was read from
	}
}

// home reads the files of a user.
func (l *look) home(home Home) {
	if l.guarded && Forbidden(home.Dir, "") {
		return
	}
	r, err := openHome(home, l.asRoot)
	if absent(err) || errors.Is(err, errForeign) {
		return
	}
	if err != nil {
		l.refuse(place{file: home.Dir, uid: home.UID}, err)
		return
	}
	r.forbidden = l.forbidden(home.Dir)
	l.open[home] = r
	l.read(r, ".", sources(false), home.Dir)
	l.dockerToolkit(r)
}

// forbidden tells what must not be looked at; nil where all may be.
func (l *look) forbidden(home string) func(string) bool {
	if !l.guarded {
		return nil
	}
	return func(name string) bool { return Forbidden(name, home) }
}

// workdir reads the files of a session's project: of the directory it works in
// and of those above, up to the root of the repository or the home.
func (l *look) workdir(w Workdir) {
	home := l.homeOf(w)
	for _, dir := range parents(w.Dir, home.Dir) {
		folder := Workdir{dir, w.UID}
		if l.folders[folder] || l.guarded && Forbidden(dir, home.Dir) {
			return // those above were looked at with it, or are forbidden likewise
		}
		l.folders[folder] = true
		if l.project(folder, home) {
			return
		}
	}
}

// homeOf is the home of a session's user, if there are several the one around
// its directory; zero where it is not among the homes.
func (l *look) homeOf(w Workdir) Home {
	var own, around Home
	for _, home := range l.homes {
		if home.UID != w.UID {
			continue
		}
		own = home
		if within(w.Dir, home.Dir) { // sorted, so the deepest comes last
			around = home
		}
	}
	if around.Dir != "" {
		return around
	}
	return own
}

// parents are a directory and those above it, without the home, unless work is
// done right there, and without the root of the file system.
func parents(dir, home string) []string {
	if !filepath.IsAbs(dir) {
		return nil
	}
	dir = filepath.Clean(dir)
	dirs := []string{dir}
	for len(dirs) <= maxParents && dir != home {
		dir = filepath.Dir(dir)
		if dir == home || dir == "/" {
			break
		}
		dirs = append(dirs, dir)
	}
	return dirs
}

// project reads the files of one folder and reports whether it is the root of a
// repository. What lies in the user's home may be a link to anywhere in it; what
// lies elsewhere, to anywhere in the folder.
func (l *look) project(w Workdir, home Home) (root bool) {
	r, shared := l.open[home]
	if !shared || !within(w.Dir, home.Dir) {
		var err error
		if r, err = openFolder(w.Dir, w.UID); err != nil {
			if !absent(err) && !errors.Is(err, fs.ErrPermission) {
				l.refuse(place{file: w.Dir, folder: w.Dir, uid: w.UID}, err)
			}
			return false
		}
		defer r.close()
		r.forbidden = l.forbidden(home.Dir)
	}
	below := strings.TrimPrefix(strings.TrimPrefix(w.Dir, r.dir), "/")
	l.read(r, below, sources(true), w.Dir)
	_, err := r.root.Lstat(path.Join(below, ".git"))
	return err == nil
}

// read reads the files of sources below a folder.
func (l *look) read(r reach, below string, sources []source, folder string) {
	for _, source := range sources {
		if source.isPattern() {
			l.pattern(r, below, source, folder)
			continue
		}
		l.file(r, path.Join(below, source.name), source, folder)
	}
}

// pattern reads the files of a folder whose names end as the pattern does.
func (l *look) pattern(r reach, below string, s source, folder string) {
	names, err := r.list(path.Join(below, path.Dir(s.name)), maxListed)
	if err != nil {
		return // there is none, or what is there is no folder
	}
	for _, name := range names {
		if path.Ext(name) == path.Ext(s.name) {
			one := s.named(name)
			l.file(r, path.Join(below, one.name), one, folder)
		}
	}
}

// file reads a file if it changed; nil where there is none.
func (l *look) file(r reach, name string, s source, folder string) *reading {
	at := place{file: filepath.Join(r.dir, name), folder: folder, uid: r.uid}
	if r.forbidden != nil && r.forbidden(at.file) {
		return nil
	}
	resolved, info, err := r.find(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = r.admit(info)
	}
	if err != nil {
		return l.refuse(at, err)
	}
	found := l.at(at)
	if found.stamp == stampOf(info) {
		return found
	}
	data, stamp, err := r.read(resolved)
	if err != nil {
		return l.refuse(at, err)
	}
	servers, err := s.parse(data)
	l.take(found, at, stamp, l.complete(servers, at, s), err)
	return found
}

// at is the reading of a place, new where there was none.
func (l *look) at(at place) *reading {
	l.visited[at] = true
	found, known := l.readings[at]
	if !known {
		found = &reading{}
		l.readings[at] = found
		l.stale = true
	}
	return found
}

// take notes what a file says now. What it said before stays while all that can
// be made of it is a fault.
func (l *look) take(r *reading, at place, now stamp, servers []Server, err error) {
	l.stale = true
	r.stamp, r.warning = now, Warning{}
	if err == nil || len(servers) > 0 {
		r.servers = servers
	}
	if err != nil {
		r.warning = faultsOf(at.file, err)
		l.warnings = append(l.warnings, r.warning)
	}
}

// faultsOf is one warning for all that is wrong with a file.
func faultsOf(file string, err error) Warning {
	var faults Faults
	if !errors.As(err, &faults) || len(faults) == 0 {
		return Warning{File: file, Text: err.Error()}
	}
	w := Warning{File: file, Line: faults[0].Line, Text: faults[0].Text}
	if more := len(faults) - 1; more > 0 {
		w.Text += fmt.Sprintf(" (and %d more)", more)
	}
	return w
}

// refuse notes that a file is not used, once for each reason.
func (l *look) refuse(at place, err error) *reading {
	found := l.at(at)
	w := Warning{File: at.file, Text: cause(err).Error()}
	if found.warning != w {
		l.warnings = append(l.warnings, w)
		l.stale = true
	}
	*found = reading{warning: w}
	return found
}

// cause is an error without the system call and path that it names; a warning
// names the file.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// complete says of servers where they were found and whose they are.
func (l *look) complete(servers []Server, at place, s source) []Server {
	home := l.homeOf(Workdir{Dir: at.folder, UID: at.uid})
	for i := range servers {
		server := &servers[i]
		server.File, server.Client, server.Home = at.file, s.client, home.Dir
		server.Owner = inventory.Known(at.uid)
		server.Folder = cmp.Or(server.Folder, at.folder)
	}
	return servers
}

// finish forgets files that are gone and makes the set anew if anything changed.
func (l *look) finish(interrupted error) {
	for at := range l.readings {
		if interrupted == nil && !l.visited[at] {
			delete(l.readings, at)
			l.stale = true
		}
	}
	if interrupted != nil {
		l.warnings = append(l.warnings, Warning{File: "configurations", Text: "not all were looked at: " + interrupted.Error()})
		return
	}
	if l.stale {
		l.set, l.stale = l.gather(), false
	}
}

func (l *look) gather() Set {
	servers := slices.Clone(l.toolkit)
	var files []string
	for at, r := range l.readings {
		if r.stamp != (stamp{}) {
			files = append(files, at.file)
		}
		if !r.part {
			servers = append(servers, r.servers...)
		}
	}
	return NewSet(servers, files)
}

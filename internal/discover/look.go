package discover

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/ownfile"
)

// place is a file as one user's configuration of one folder.
type place struct {
	file   string
	folder string
	uid    int
}

// reading is the content of one file when it was last read.
type reading struct {
	stamp   stamp // zero: not read
	servers []Server
	warning Warning
}

// isUsed reports that the file was read, and that not all of it is malformed.
func (r *reading) isUsed() bool {
	return r.stamp != (stamp{}) && (r.warning == (Warning{}) || len(r.servers) > 0)
}

// memory is the content of one corner's files. Only the look at the corner writes it,
// and there is one look at a time.
type memory struct {
	readings map[place]*reading

	mu    sync.Mutex
	found found
}

// found is the result of the last look that ended. Its lists never change.
type found struct {
	servers  []Server
	files    []string
	warnings []Warning // those that were not taken yet
	faults   []Warning // what is wrong with the files, whether or not it was taken
	changed  bool      // since it was taken last
}

func newMemory() *memory { return &memory{readings: map[place]*reading{}} }

// weight is what the servers of the last look cost.
func (m *memory) weight() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return weightOf(m.found.servers)
}

// take returns the result. Each warning is returned once.
func (m *memory) take() found {
	m.mu.Lock()
	defer m.mu.Unlock()
	taken := m.found
	m.found.warnings, m.found.changed = nil, false
	return taken
}

// look reads one corner.
type look struct {
	*memory
	corner
	home    Home
	guarded bool
	asRoot  bool
	asUser  bool // with the rights of the corner's user
	budget  *budget
	parsing *sync.Mutex

	stale    bool // the published result is older than the readings
	visited  map[place]bool
	warnings []Warning
}

// read reads the corner with its user's rights.
func (l look) read() {
	l.visited = map[place]bool{}
	ownfile.As(l.uid, func(asUser bool) {
		l.asUser = asUser
		if l.project {
			l.readProject()
		} else {
			l.readHome()
		}
	})
	l.finish()
}

// readHome reads the files of a user.
func (l *look) readHome() {
	if l.guarded && Forbidden(l.dir, "") {
		return
	}
	r, err := l.openHome()
	if absent(err) || errors.Is(err, errForeign) || l.asRoot && errors.Is(err, fs.ErrPermission) {
		return // as those of system accounts
	}
	if err != nil {
		l.refuse(place{file: l.dir, uid: l.uid}, err)
		return
	}
	defer r.close()
	l.readSources(r, ".", sources(false), l.dir)
}

func (l *look) openHome() (reach, error) {
	r, err := openHome(l.home, l.asRoot)
	l.limit(&r)
	return r, err
}

// limit sets what may be read below a reach.
func (l *look) limit(r *reach) {
	r.forbidden, r.alone, r.most = l.forbidden(), !l.asUser, maxFile
	if l.project {
		r.most = maxProjectFile
	}
}

// forbidden reports paths that must not be touched; nil if there are none.
func (l *look) forbidden() func(string) bool {
	if !l.guarded {
		return nil
	}
	return func(name string) bool { return Forbidden(name, l.home.Dir) }
}

// readProject reads the files of a session's project: in its working directory and
// the folders above, up to the repository's root or the home. Links in the user's
// home may lead anywhere in the home.
func (l *look) readProject() {
	var home reach
	if l.home.Dir != "" && within(l.dir, l.home.Dir) {
		if r, err := l.openHome(); err == nil {
			home = r
			defer r.close()
		}
	}
	for _, dir := range parents(l.dir, l.home.Dir) {
		if l.guarded && Forbidden(dir, l.home.Dir) || l.readFolder(dir, home) {
			return
		}
	}
}

// readFolder reads the files of one folder and reports whether it is a repository's
// root. Outside the home, links may lead anywhere in the folder.
func (l *look) readFolder(dir string, home reach) (root bool) {
	r := home
	if home.root == nil || !within(dir, home.dir) {
		var err error
		if r, err = openFolder(dir, l.uid); err != nil {
			if !absent(err) && !errors.Is(err, fs.ErrPermission) {
				l.refuse(place{file: dir, folder: dir, uid: l.uid}, err)
			}
			return false
		}
		defer r.close()
		l.limit(&r)
	}
	below := strings.TrimPrefix(strings.TrimPrefix(dir, r.dir), "/")
	l.readSources(r, below, sources(true), dir)
	_, err := r.root.Lstat(path.Join(below, ".git"))
	return err == nil
}

// readSources reads the files of sources below a folder.
func (l *look) readSources(r reach, below string, sources []source, folder string) {
	for _, source := range sources {
		if source.isPattern() {
			l.pattern(r, below, source, folder)
			continue
		}
		l.file(r, path.Join(below, source.name), source, folder)
	}
}

// pattern reads the files of a folder whose names have the pattern's ending.
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

// file reads a file if it has changed.
func (l *look) file(r reach, name string, s source, folder string) {
	at := place{file: filepath.Join(r.dir, name), folder: folder, uid: r.uid}
	if r.forbidden != nil && r.forbidden(at.file) {
		return
	}
	resolved, info, err := r.find(name)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil {
		err = r.admit(info)
	}
	if err != nil {
		l.refuse(at, err)
		return
	}
	if err := l.budget.takeBytes(at.uid, info.Size()); err != nil {
		l.refuse(at, err)
		return
	}
	found := l.at(at)
	if found.stamp != stampOf(info) {
		data, stamp, err := r.read(resolved)
		if err != nil {
			l.refuse(at, err)
			return
		}
		servers, err := l.parse(s, data)
		l.take(found, at, stamp, l.complete(servers, at, s), err)
	}
	if err := l.budget.takeWeight(at.uid, found.servers); err != nil {
		l.refuse(at, err)
	}
}

// parse reads the servers of a file, one file at a time, because a file takes many times its size.
func (l *look) parse(s source, data []byte) ([]Server, error) {
	l.parsing.Lock()
	defer l.parsing.Unlock()
	return s.parse(data)
}

// at is the reading of a file; it is made at the first call.
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

// take notes the present content of a file. If the file is now malformed as a whole,
// its earlier content stays.
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

// faultsOf makes one warning of all faults of a file.
func faultsOf(file string, err error) Warning {
	var faults Faults
	if !errors.As(err, &faults) || len(faults) == 0 {
		return Warning{File: file, Text: err.Error()}
	}
	w := Warning{File: file, Text: faults[0].String()}
	if more := len(faults) - 1; more > 0 {
		w.Text += fmt.Sprintf(" (and %d more)", more)
	}
	return w
}

// refuse notes that a file is not used. It warns once for each reason.
func (l *look) refuse(at place, err error) {
	found := l.at(at)
	w := Warning{File: at.file, Text: ownfile.Cause(err).Error()}
	if found.warning != w {
		l.warnings = append(l.warnings, w)
		l.stale = true
	}
	*found = reading{warning: w}
}

// complete adds to servers where they were found and whose they are.
func (l *look) complete(servers []Server, at place, s source) []Server {
	for i := range servers {
		server := &servers[i]
		server.File, server.Client, server.Home = at.file, s.client, l.home.Dir
		server.Owner = inventory.Known(at.uid)
		server.Folder, server.Project = cmp.Or(server.Folder, at.folder), l.project
	}
	return servers
}

// finish forgets files that are gone. If anything has changed, it publishes the
// result.
func (l *look) finish() {
	for at := range l.readings {
		if !l.visited[at] {
			delete(l.readings, at)
			l.stale = true
		}
	}
	if !l.stale && len(l.warnings) == 0 {
		return
	}
	now := found{warnings: l.warnings, changed: true}
	for at, r := range l.readings {
		if r.isUsed() {
			now.files = append(now.files, at.file)
		}
		if r.warning != (Warning{}) {
			now.faults = append(now.faults, r.warning)
		}
		now.servers = append(now.servers, r.servers...)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now.warnings = append(l.found.warnings, now.warnings...)
	l.found = now
}

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
func (r reading) isUsed() bool {
	return r.stamp != (stamp{}) && (r.warning == (Warning{}) || len(r.servers) > 0)
}

// memory is the content of one corner's files as the last look found it that ended, which may be one that was late.
type memory struct {
	mu       sync.Mutex
	readings map[place]reading // a look makes new ones
	changed  bool              // since they were taken last
}

// put notes the result of a look.
func (m *memory) put(readings map[place]reading, changed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.readings, m.changed = readings, m.changed || changed
}

// take returns the result, and whether it is another than when it was taken last.
func (m *memory) take() (readings map[place]reading, changed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	changed, m.changed = m.changed, false
	return m.readings, changed
}

// look reads one corner.
type look struct {
	corner
	memory  *memory
	home    Home
	guarded bool
	asRoot  bool
	asUser  bool // with the rights of the corner's user
	budget  *budget
	parsing *sync.Mutex

	before, now map[place]reading
	changed     bool // now is another than before
}

// read reads the corner with its user's rights.
func (l look) read() {
	l.before, l.now = l.memory.readings, map[place]reading{} // nobody else writes them
	ownfile.As(l.uid, func(asUser bool) {
		l.asUser = asUser
		if l.project {
			l.readProject()
		} else {
			l.readHome()
		}
	})
	l.memory.put(l.now, l.changed || len(l.now) != len(l.before))
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
	found := l.before[at]
	if found.stamp != stampOf(info) {
		data, stamp, err := r.read(resolved)
		if err != nil {
			l.refuse(at, err)
			return
		}
		found = l.take(at, stamp, s, data)
	}
	if err := l.budget.takeWeight(at.uid, found.servers); err != nil {
		l.refuse(at, err)
		return
	}
	l.now[at] = found
}

// parse reads the servers of a file, one file at a time, because a file takes many times its size.
func (l *look) parse(s source, data []byte) ([]Server, error) {
	l.parsing.Lock()
	defer l.parsing.Unlock()
	return s.parse(data)
}

// take is the present content of a file. If the file is now malformed as a whole,
// its earlier content stays.
func (l *look) take(at place, now stamp, s source, data []byte) reading {
	l.changed = true
	servers, err := l.parse(s, data)
	read := reading{stamp: now, servers: l.complete(servers, at, s)}
	if err != nil {
		read.warning = faultsOf(at.file, err)
		if len(servers) == 0 {
			read.servers = l.before[at].servers
		}
	}
	return read
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

// refuse notes that a file is not used.
func (l *look) refuse(at place, err error) {
	w := Warning{File: at.file, Text: ownfile.Cause(err).Error()}
	l.changed = l.changed || l.before[at].warning != w
	l.now[at] = reading{warning: w}
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

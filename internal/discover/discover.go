package discover

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/reaperd/reaperd/internal/patience"
)

// Limits of how many folders above a session's working directory are searched for its
// project, and of how many working directories are read.
const (
	maxParents  = 8
	maxWorkdirs = 1000
)

// Options configure [New].
type Options struct {
	// Guarded avoids everything for which macOS asks the user's permission
	// ([Forbidden]). The daemon sets it there.
	Guarded bool
}

// Workdir is the working directory of a live session, and the session's user. Servers
// in the files found there are that user's.
type Workdir struct {
	Dir string
	UID int
}

// Warning says why a file, or part of it, was not used.
type Warning struct {
	File string
	Text string
}

// answerWithin is how long the file system of a home, or of a session's folder, may
// take to answer. A folder that does not answer is not read again for silentFor at
// most. At most maxSilent reads may be left waiting: no further folder is read until one of
// them returns.
const (
	answerWithin = 500 * time.Millisecond
	maxSilent    = 16
	silentFor    = time.Minute
)

// Discoverer reads configurations and remembers them from look to look. It is for one
// goroutine.
type Discoverer struct {
	guarded bool
	asRoot  bool
	asker   patience.Asker[corner]
	corners map[corner]*memory
	silent  []corner // those that did not answer at the last look
	set     Set
}

// corner is a folder whose configuration files are read together: a user's home, or a
// session's working directory.
type corner struct {
	dir     string
	uid     int
	project bool
}

// New makes a discoverer that has read nothing yet.
func New(options Options) *Discoverer {
	return &Discoverer{
		guarded: options.Guarded, asRoot: os.Geteuid() == 0, corners: map[corner]*memory{},
		asker: patience.Asker[corner]{Within: answerWithin, Most: maxSilent, Rest: silentFor},
	}
}

// Configured reads the files of these homes and working directories that have changed
// since the last call, and returns what all of them say. Each warning is returned
// once until its file changes; [Set.Faults] has all that hold. If ctx ends the look
// early, or a folder does not answer ([Discoverer.Silent]), its earlier content still
// counts.
func (d *Discoverer) Configured(ctx context.Context, homes []Home, workdirs []Workdir) (Set, []Warning) {
	homes = distinct(slices.Clone(homes))
	visited := map[corner]bool{}
	for _, home := range homes {
		d.visit(ctx, look{corner: corner{dir: home.Dir, uid: home.UID}, home: home}, visited)
	}
	for _, workdir := range DistinctWorkdirs(workdirs) {
		d.visit(ctx, look{corner: corner{workdir.Dir, workdir.UID, true}, home: homeOf(workdir, homes)}, visited)
	}
	return d.gather(ctx.Err(), visited)
}

// visit reads a corner, unless ctx has ended or the corner does not answer.
func (d *Discoverer) visit(ctx context.Context, l look, visited map[corner]bool) {
	visited[l.corner] = true
	if ctx.Err() != nil {
		return
	}
	known := d.corners[l.corner]
	if known == nil {
		known = newMemory()
		d.corners[l.corner] = known
	}
	l.memory, l.guarded, l.asRoot = known, d.guarded, d.asRoot
	patience.Ask(&d.asker, patience.Question[corner]{Of: l.corner}, func() struct{} {
		l.read()
		return struct{}{}
	})
}

// gather makes the set again if anything has changed, and returns the warnings.
func (d *Discoverer) gather(interrupted error, visited map[corner]bool) (Set, []Warning) {
	if interrupted != nil {
		return d.set, []Warning{{File: "configurations", Text: "not all were looked at: " + interrupted.Error()}}
	}
	var servers []Server
	var files []string
	var warnings, faults []Warning
	changed := d.noteSilent()
	for _, at := range slices.SortedFunc(maps.Keys(d.corners), compareCorners) {
		if !visited[at] {
			delete(d.corners, at)
			changed = true
			continue
		}
		found := d.corners[at].take()
		servers, files = append(servers, found.servers...), append(files, found.files...)
		warnings, faults = append(warnings, found.warnings...), append(faults, found.faults...)
		changed = changed || found.changed
	}
	if changed {
		d.set = NewSet(servers, files).withFaults(append(faults, d.unanswered()...))
	}
	return d.set, warnings
}

func compareCorners(a, b corner) int {
	return cmp.Or(cmp.Compare(a.dir, b.dir), cmp.Compare(a.uid, b.uid))
}

// noteSilent notes the corners that did not answer, and reports that they are others
// than at the look before.
func (d *Discoverer) noteSilent() (changed bool) {
	before := d.silent
	d.silent = slices.SortedFunc(slices.Values(d.asker.Silent()), compareCorners)
	return !slices.Equal(before, d.silent)
}

// unanswered are the faults of folders that did not answer.
func (d *Discoverer) unanswered() []Warning {
	var faults []Warning
	for _, dir := range d.Silent() {
		faults = append(faults, Warning{File: dir, Text: NoAnswer()})
	}
	return faults
}

// NoAnswer says of a home or folder that it was not read. That need not be the fault of
// its file system: a busy machine may be late.
func NoAnswer() string {
	return fmt.Sprintf("did not answer within %g s; what was known of it stays", answerWithin.Seconds())
}

// Silent are the homes and folders that did not answer at the last look, sorted.
func (d *Discoverer) Silent() []string {
	var dirs []string
	for _, at := range d.silent {
		dirs = append(dirs, at.dir)
	}
	return slices.Compact(dirs)
}

// AnswersAgain reports that a home or folder which did not answer at the last look has
// answered late and would be asked now.
func (d *Discoverer) AnswersAgain() bool {
	return slices.ContainsFunc(d.silent, func(at corner) bool { return !d.asker.IsSilent(at) })
}

// DistinctWorkdirs sorts working directories, drops doubles, and limits how many
// there are.
func DistinctWorkdirs(workdirs []Workdir) []Workdir {
	workdirs = slices.Clone(workdirs)
	slices.SortStableFunc(workdirs, func(a, b Workdir) int {
		return cmp.Or(cmp.Compare(a.Dir, b.Dir), cmp.Compare(a.UID, b.UID))
	})
	workdirs = slices.Compact(workdirs)
	return workdirs[:min(len(workdirs), maxWorkdirs)]
}

// homeOf is the home of a session's user. If there are several, it is the one around
// the working directory; zero if there is none.
func homeOf(w Workdir, homes []Home) Home {
	var own, around Home
	for _, home := range homes {
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

// parents are a directory and those above it. They do not include the home, unless
// the session works right in it, nor the file system's root.
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

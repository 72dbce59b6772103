package discover

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/reaperd/reaperd/internal/ownfile"
)

// maxParents is how many folders above a session's working directory are searched for its
// project.
const maxParents = 8

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
// most. At most maxSilent reads for one user may be left waiting: none of that user's folders is
// read until one of them returns.
const (
	answerWithin = 500 * time.Millisecond
	maxSilent    = 4
	silentFor    = time.Minute
)

// Discoverer reads configurations and remembers them from look to look. It is for one
// goroutine.
type Discoverer struct {
	guarded bool
	asRoot  bool
	asker   ownfile.Asker[corner]
	corners map[corner]*memory
	silent  []corner          // those that did not answer at the last look
	skipped []corner          // those that it left out
	folders map[int]int       // of sessions, by user
	unread  []Warning         // [Discoverer.Unread]
	over    map[int]bool      // [overweight], at the last look
	resting map[int]time.Time // the users who took too long, and until when
	parsing *sync.Mutex       // one file at a time
	most    time.Duration     // for the files of one user: maxTime
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
		guarded: options.Guarded, asRoot: os.Geteuid() == 0, corners: map[corner]*memory{}, resting: map[int]time.Time{}, parsing: &sync.Mutex{}, most: maxTime,
		asker: ownfile.Asker[corner]{Within: answerWithin, Most: maxSilent, Rest: silentFor},
	}
}

// Configured reads the files of these homes and working directories that have changed
// since the last call, and returns what all of them say. If ctx ends the look
// early, or a folder does not answer ([Discoverer.Unread]), its earlier content still
// counts.
func (d *Discoverer) Configured(ctx context.Context, homes []Home, workdirs []Workdir) Set {
	homes = distinct(slices.Clone(homes))
	visited, spent := map[corner]bool{}, newBudget(d.most)
	d.skipped, d.folders = nil, spent.folders
	for _, home := range homes {
		d.visit(ctx, look{corner: corner{dir: home.Dir, uid: home.UID}, home: home, budget: spent}, visited)
	}
	var folders []corner
	for _, workdir := range DistinctWorkdirs(workdirs) {
		folders = append(folders, corner{workdir.Dir, workdir.UID, true})
	}
	for _, at := range inTurn(folders) {
		d.visit(ctx, look{corner: at, home: homeOf(Workdir{at.dir, at.uid}, homes), budget: spent}, visited)
	}
	for uid, took := range spent.took {
		if took >= d.most {
			d.resting[uid] = time.Now().Add(timeRests)
		}
	}
	return d.gather(ctx.Err(), visited)
}

// visit reads a corner, unless ctx has ended, the corner does not answer, or its user's files have cost enough.
func (d *Discoverer) visit(ctx context.Context, l look, visited map[corner]bool) {
	visited[l.corner] = true
	if ctx.Err() != nil {
		return
	}
	if !l.budget.admits(l.corner) || time.Now().Before(d.resting[l.uid]) {
		d.skipped = append(d.skipped, l.corner)
		return
	}
	known := d.corners[l.corner]
	if known == nil {
		known = &memory{}
		d.corners[l.corner] = known
	}
	l.memory, l.guarded, l.asRoot, l.parsing = known, d.guarded, d.asRoot, d.parsing
	began := time.Now()
	ownfile.Ask(&d.asker, ownfile.Question[corner]{Of: l.corner, Group: l.uid}, func() struct{} {
		l.read()
		return struct{}{}
	})
	l.budget.spend(l.corner, time.Since(began))
}

// gather makes the set again if anything has changed.
func (d *Discoverer) gather(interrupted error, visited map[corner]bool) Set {
	if interrupted != nil {
		return d.set.withFaults(append(d.set.Faults(), Warning{File: "configurations", Text: "not all were looked at: " + interrupted.Error()}))
	}
	all := gathering{told: map[int]int{}}
	changed := d.noteSilent()
	read, weights := map[corner]map[place]reading{}, map[int]int{}
	for at, known := range d.corners {
		if !visited[at] {
			delete(d.corners, at)
			changed = true
			continue
		}
		readings, isOther := known.take()
		changed, read[at] = changed || isOther, readings
		for _, r := range readings {
			weights[at.uid] += weightOf(r.servers)
		}
	}
	over := overweight(weights)
	if !changed && maps.Equal(over, d.over) {
		return d.set
	}
	d.over = over
	for _, at := range slices.SortedFunc(maps.Keys(read), compareCorners) {
		if over[at.uid] {
			all.fault(at.uid, Warning{File: at.dir, Text: errAllWeight.Error()})
		}
		all.add(at.uid, read[at], over[at.uid])
	}
	d.set = NewSet(all.servers, all.files).withFaults(append(all.allFaults(), d.unread...))
	return d.set
}

// gathering is what the corners say together, and how many faults of each user.
type gathering struct {
	servers []Server
	files   []string
	faults  []Warning
	told    map[int]int
}

// add adds the files of a corner; only what is wrong with them, where their user has too many servers.
func (g *gathering) add(uid int, readings map[place]reading, faultsAlone bool) {
	byPath := func(a, b place) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.folder, b.folder)) }
	for _, at := range slices.SortedFunc(maps.Keys(readings), byPath) {
		r := readings[at]
		if r.warning != (Warning{}) {
			g.fault(uid, r.warning)
		}
		if faultsAlone {
			continue
		}
		if g.servers = append(g.servers, r.servers...); r.isUsed() {
			g.files = append(g.files, at.file)
		}
	}
}

func (g *gathering) fault(uid int, fault Warning) {
	if g.told[uid]++; g.told[uid] <= maxTold {
		g.faults = append(g.faults, fault)
	}
}

// allFaults are the faults, with a last line for each user who has more.
func (g *gathering) allFaults() []Warning {
	for uid, count := range g.told {
		if count > maxTold {
			g.faults = append(g.faults, Warning{File: fmt.Sprintf("more of user %d", uid), Text: fmt.Sprintf("%d further files or folders, for reasons like these", count-maxTold)})
		}
	}
	return g.faults
}

func compareCorners(a, b corner) int {
	return cmp.Or(cmp.Compare(a.dir, b.dir), cmp.Compare(a.uid, b.uid))
}

// noteSilent notes the corners that did not answer, and reports that they, or those that were left out, are others
// than at the look before.
func (d *Discoverer) noteSilent() (changed bool) {
	before := d.unread
	d.silent = slices.SortedFunc(slices.Values(d.asker.Silent()), compareCorners)
	slices.SortFunc(d.skipped, compareCorners)
	d.unread = d.notRead()
	return !slices.Equal(before, d.unread)
}

// NoAnswer says of a home or folder that it was not read. That need not be the fault of
// its file system: a busy machine may be late.
func NoAnswer() string {
	return fmt.Sprintf("did not answer within %g s; what was known of it stays", answerWithin.Seconds())
}

// Unread are homes and folders that did not answer at the last look, or were left out because their user has too many
// or too slow ones: the first of each user.
func (d *Discoverer) Unread() []Warning { return d.unread }

func (d *Discoverer) notRead() []Warning {
	unread := gathering{told: map[int]int{}}
	for _, at := range d.silent {
		unread.fault(at.uid, Warning{at.dir, NoAnswer()})
	}
	for _, at := range d.skipped {
		unread.fault(at.uid, Warning{at.dir, leftOut})
	}
	return slices.Compact(unread.allFaults())
}

// AnswersAgain reports that a home or folder which was not read at the last look would be read now.
func (d *Discoverer) AnswersAgain() bool {
	rests := func(at corner) bool { return time.Now().Before(d.resting[at.uid]) }
	return slices.ContainsFunc(d.silent, func(at corner) bool { return !d.asker.IsSilent(at) && !rests(at) }) ||
		slices.ContainsFunc(d.skipped, func(at corner) bool { return d.folders[at.uid] <= maxFolders && !rests(at) })
}

// DistinctWorkdirs sorts working directories and drops doubles.
func DistinctWorkdirs(workdirs []Workdir) []Workdir {
	workdirs = slices.Clone(workdirs)
	slices.SortStableFunc(workdirs, func(a, b Workdir) int {
		return cmp.Or(cmp.Compare(a.Dir, b.Dir), cmp.Compare(a.UID, b.UID))
	})
	return slices.Compact(workdirs)
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

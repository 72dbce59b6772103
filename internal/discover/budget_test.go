package discover

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/ownfile"
)

// project writes a project's file with so many servers, and more bytes of text, and returns its folder.
func (w *world) project(name string, servers, bytes int) string {
	folder := w.outside(name)
	var entries []string
	for i := range servers {
		entries = append(entries, fmt.Sprintf(`"%s-%d": {"command": "/opt/%s", "args": ["%d"]}`, name, i, name, i))
	}
	w.write(folder+"/.mcp.json", `{"x": "`+strings.Repeat("x", bytes)+`", "mcpServers": {`+strings.Join(entries, ",")+`}}`)
	return folder
}

func countOf(names []string, prefix string) (count int) {
	for _, name := range names {
		if strings.HasPrefix(name, prefix+"-") {
			count++
		}
	}
	return count
}

func TestAProjectsFileIsSmall(t *testing.T) {
	w := newWorld(t)
	names, warnings := w.look(w.project("small", 1, maxProjectFile-200), w.project("large", 1, maxProjectFile))
	w.want("projects", names, []string{"small-0"}, warnings, []string{w.outside("large/.mcp.json") + ": larger than 256 KiB"})
}

// 60 folders with as many servers as one file may name, and the home beside them.
func TestTheServersOfOneUserAreBounded(t *testing.T) {
	w := newWorld(t)
	w.write(".claude.json", mcp("own"))
	var folders []string
	for i := range 60 {
		folders = append(folders, w.project(fmt.Sprintf("many%02d", i), maxServers, 1000))
	}
	names, warnings := w.look(folders...)
	used := 0
	for _, folder := range folders {
		n := countOf(names, folder[strings.LastIndexByte(folder, '/')+1:])
		if n != 0 && n != maxServers {
			t.Errorf("%d servers of a file are used", n)
		}
		used += n
	}
	if used == 0 || used > maxWeight/150 || !slices.Contains(names, "own") {
		t.Errorf("%d servers of the projects are used, and of the home %v", used, slices.Contains(names, "own"))
	}
	if len(warnings) == 0 || len(warnings) > 60 || !strings.HasSuffix(warnings[0], errWeight.Error()) {
		t.Errorf("%d warnings, the first %q", len(warnings), warnings[:min(1, len(warnings))])
	}
	if told := w.d.set.FaultTexts(); len(told) > maxTold+1 || !strings.Contains(strings.Join(told, "\n"), "further files or folders") {
		t.Errorf("%d faults are told: %.300q", len(told), told)
	}
}

func TestTheFilesOfOneUserAreBounded(t *testing.T) {
	w := newWorld(t)
	var folders []string
	for i := range 60 {
		folders = append(folders, w.project(fmt.Sprintf("long%02d", i), 1, maxProjectFile-200))
	}
	names, _ := w.look(folders...)
	if want := maxBytes / maxProjectFile; len(names) < want || len(names) > want+1 {
		t.Errorf("%d files are used, want %d", len(names), want)
	}
}

func TestTheFoldersOfOneUserAreBoundedAndSaid(t *testing.T) {
	w := newWorld(t)
	var folders []string
	for i := range maxFolders + 30 {
		folders = append(folders, w.project(fmt.Sprintf("f%03d", i), 1, 0))
	}
	names, _ := w.look(folders...)
	if len(names) != maxFolders {
		t.Errorf("%d folders are read, want %d", len(names), maxFolders)
	}
	if unread := w.d.Unread(); len(unread) != maxTold+1 || !strings.HasPrefix(unread[maxTold].Text, "10 further") {
		t.Errorf("unread are %+v", unread)
	}
	if w.d.AnswersAgain() {
		t.Error("they are looked at again at each look, and never read")
	}
}

func TestWhoHasFewServersComesBeforeWhoHasMany(t *testing.T) {
	over := overweight(map[int]int{1000: 500, 1001: maxWeight, 1002: maxWeight, 1003: maxWeight, 1004: maxWeight, 1005: maxWeight - 1})
	var left []int
	for uid, is := range over {
		if is {
			left = append(left, uid)
		}
	}
	if slices.Sort(left); !slices.Equal(left, []int{1003, 1004}) {
		t.Errorf("left out are %v", left)
	}
}

// One user's folders wait for ever. They cost that user alone: another's are read at the same look, and for a while
// nobody waits for the first user's again.
func TestAUsersSlowFoldersCostNobodyElse(t *testing.T) {
	w := newWorld(t)
	other := w.home.UID + 1
	mine := w.project("mine", 1, 0)
	synctest.Test(t, func(t *testing.T) {
		w.d = New(Options{})
		hang := make(chan struct{})
		var folders []Workdir
		for i := range 40 {
			at := corner{fmt.Sprintf("%s/slow%02d", w.home.Dir, i), other, true}
			folders = append(folders, Workdir{at.dir, other})
			if i < maxSilent {
				ownfile.Ask(&w.d.asker, ownfile.Question[corner]{Of: at, Group: other}, func() struct{} { <-hang; return struct{}{} })
			}
		}
		began := time.Now()
		set := w.d.Configured(t.Context(), nil, append(folders, Workdir{mine, w.home.UID}))
		if took := time.Since(began); took > maxTime+answerWithin {
			t.Errorf("the look took %s", took)
		}
		if set.Match(&inventory.Process{UID: inventory.Known(w.home.UID), Argv: []string{"/opt/mine", "0"}}) == nil {
			t.Error("the other user's folder is not read")
		}
		close(hang)
		synctest.Wait()
	})
}

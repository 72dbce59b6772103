package scan

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/procstat"
	"github.com/reaperd/reaperd/test/eventually"
)

// selecting looks with these processes as the candidates, and lists nothing that
// has nothing to do with them.
func selecting(t *testing.T, candidate func(*inventory.Process) bool, selection Selection) *Scanner {
	t.Helper()
	s, err := New(Options{Candidate: candidate, Selection: selection})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func pidsOf(look Look) []int {
	var pids []int
	for _, p := range look.Processes {
		pids = append(pids, p.PID)
	}
	return pids
}

// leftAlone is a process that hangs on PID 1: what is below this one may be in a
// pipeline with the tests.
func leftAlone(t *testing.T, program ...string) (pid int) {
	t.Helper()
	cmd := exec.Command("/bin/sh", append([]string{"-c", `setsid "$@" </dev/null >/dev/null 2>&1 & echo $!`, "sh"}, program...)...)
	cmd.Env = append(os.Environ(), role+"=wait")
	out, err := cmd.Output()
	if err != nil {
		t.Skip(err)
	}
	if pid, err = strconv.Atoi(strings.TrimSpace(string(out))); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(pid, syscall.SIGKILL) })
	return pid
}

func TestWhatHasNothingToDoWithACandidateIsLeftOut(t *testing.T) {
	stdin, held := pipe(t)
	server, stranger := sleeper(t, stdin, nil), leftAlone(t, "sleep", "600")
	s := selecting(t, func(p *inventory.Process) bool { return p.PID == server.pid() }, selectAll(false))
	for range 3 {
		look := lookAt(t, s)
		pids := pidsOf(look)
		if !slices.Contains(pids, server.pid()) || slices.Contains(pids, stranger) || !slices.IsSorted(pids) {
			t.Errorf("%v listed, with candidate %d and stranger %d", pids, server.pid(), stranger)
		}
		for pid := os.Getpid(); pid > 0; { // what is above it, this process first
			if !slices.Contains(pids, pid) {
				t.Errorf("process %d, above the candidate, is left out", pid)
			}
			pid = in(t, look, pid).PPID.Or(0)
		}
		all, err := s.Table()
		if err != nil {
			t.Fatal(err)
		}
		if got := len(look.Processes) + look.Unlisted; got < len(all)/2 || look.Unlisted == 0 {
			t.Errorf("%d listed and %d not, of about %d", len(look.Processes), look.Unlisted, len(all))
		}
		if got := in(t, look, server.pid()).Stdin.Or(inventory.Stdio{}).Holders; !slices.Contains(got, os.Getpid()) {
			t.Errorf("its stdin is held by %v, want %d", got, os.Getpid())
		}
	}
	held.Close()
}

// marked wants the processes that have its mark, and marks by the first argument.
type marked struct {
	selectAll
	wanted uint64
}

func (*marked) Mark(p *inventory.Process) uint64         { return uint64(len(p.Argv)) }
func (m *marked) Wants(_ inventory.ID, mark uint64) bool { return mark == m.wanted }
func (m *marked) Lists(p *inventory.Process) bool        { return uint64(len(p.Argv)) == m.wanted }

// housed lists what runs in a folder.
type housed struct {
	selectAll
	folder  string
	depends bool
}

func (h housed) Lists(p *inventory.Process) bool           { return p.Cwd == h.folder }
func (h housed) DependsOnFolder(p *inventory.Process) bool { return h.depends }

func TestTheFolderIsReadOfWhatMayBeListedForIt(t *testing.T) {
	for _, row := range []struct {
		says      string
		depends   bool
		candidate bool
		want      bool
	}{
		{says: "it may be listed for its folder", depends: true, want: true},
		{says: "nothing depends on its folder", want: false},
		{says: "nothing depends on its folder, and it is a candidate", candidate: true, want: true},
	} {
		t.Run(row.says, func(t *testing.T) {
			folder := t.TempDir()
			cmd := exec.Command("/bin/sleep", "600")
			cmd.Dir = folder
			c := start(t, cmd)
			s := selecting(t, func(p *inventory.Process) bool { return row.candidate && p.PID == c.pid() }, housed{folder: folder, depends: row.depends})
			for range 2 {
				look := lookAt(t, s)
				if listed := slices.Contains(pidsOf(look), c.pid()); listed != row.want {
					t.Fatalf("listed: %v, want %v", listed, row.want)
				}
				if row.want && in(t, look, c.pid()).Cwd != folder {
					t.Errorf("it runs in %q, want %q", in(t, look, c.pid()).Cwd, folder)
				}
			}
		})
	}
}

func TestWhatWasLeftOutIsListedWhenItIsWanted(t *testing.T) {
	c := start(t, exec.Command("/bin/sleep", "600", "1", "1", "1", "1", "1"))
	selection := &marked{}
	s := selecting(t, nil, selection)
	if slices.Contains(pidsOf(lookAt(t, s)), c.pid()) {
		t.Fatal("it is listed although nobody wants it")
	}
	selection.wanted = 7
	if got := in(t, lookAt(t, s), c.pid()); len(got.Argv) != 7 || !got.UID.IsKnown() || got.Cwd == "" {
		t.Errorf("listed as %+v", got)
	}
	look := Look{}
	selection.wanted = 0
	lookAt(t, s)
	s.List(&look, []int{c.pid(), 1 << 30})
	if pids := pidsOf(look); !slices.Contains(pids, c.pid()) || !slices.Contains(pids, os.Getpid()) || !slices.IsSorted(pids) {
		t.Errorf("asked for by number: %v, want %d and what is above it", pids, c.pid())
	}
}

func TestAnExecOfWhatIsLeftOutIsSeenWithinTwoLooks(t *testing.T) {
	stdin, tell := pipe(t)
	c := player(t, "exec", func(cmd *exec.Cmd) { cmd.Stdin = stdin })
	c.line(t)
	s := selecting(t, func(p *inventory.Process) bool { return slices.Contains(p.Argv, "other-program") }, selectAll(false))
	for range 3 {
		if slices.Contains(pidsOf(lookAt(t, s)), c.pid()) {
			t.Fatal("it is listed before it is what is looked for")
		}
	}
	fmt.Fprintln(tell)
	awaitExec(t, c)
	lookAt(t, s)
	if got := in(t, lookAt(t, s), c.pid()); !slices.Equal(got.Argv, []string{"other-program", "600"}) {
		t.Errorf("two looks later it is %q", got.Argv)
	}
}

// TestTheLossOfAParentIsRememberedOfWhatIsLeftOut: no snapshot has shown the first.
func TestTheLossOfAParentIsRememberedOfWhatIsLeftOut(t *testing.T) {
	p, pid := startParent(t, "sleep 600 1 1 1 1 1")
	eventually.Holds(t, "the exec", func() bool {
		line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		return err == nil && strings.HasPrefix(string(line), "sleep")
	})
	selection := &marked{}
	s := selecting(t, nil, selection)
	lookAt(t, s)
	p.end()
	lookAt(t, s)
	selection.wanted = 7
	if got := in(t, lookAt(t, s), pid); !got.Reparented || got.PPID.Or(0) == p.pid() {
		t.Errorf("below %v, reparented %v", got.PPID, got.Reparented)
	}
}

func TestATableThatIsTooLongHoldsAnything(t *testing.T) {
	r := newReader(-1)
	if table := r.descriptors(-1, "nowhere"); table.err == nil {
		t.Error("no error")
	}
	n := newNetReader()
	n.most = 2
	count := 0
	if err := n.counted(&count); err != nil {
		t.Errorf("the first of two: %v", err)
	}
	n.counted(&count)
	if err := n.stopped(n.counted(&count)); err == nil || !n.tooMany {
		t.Errorf("the third of two: %v, told: %v", err, n.tooMany)
	}
	n.close()
}

// idleWorld is what PID 1 of a namespace of its own saw of some sleepers.
type idleWorld struct {
	Skip     string
	Few      float64 // allocations in refreshing the slots of few sleepers
	Many     float64 // and of many
	Unlisted int
}

func TestALookAllocatesNothingForWhatHasNotChanged(t *testing.T) {
	var w idleWorld
	if answer := apart(t, "idle"); json.Unmarshal(answer, &w) != nil {
		t.Fatalf("%s", answer)
	}
	if w.Skip != "" {
		t.Skip(w.Skip)
	}
	if w.Many > w.Few || w.Unlisted < 50 {
		t.Errorf("%v allocations beside few processes, %v beside %d", w.Few, w.Many, w.Unlisted)
	}
}

// idleTable is PID 1 of a namespace: it looks at nothing but sleepers.
func idleTable() error {
	w := idleWorld{}
	if err := privateProc(); err != nil {
		w.Skip = err.Error()
		return json.NewEncoder(os.Stdout).Encode(w)
	}
	s, err := New(Options{Selection: selectAll(false)})
	if err != nil {
		return err
	}
	s.workers = 1
	for _, measured := range []struct {
		more int
		into *float64
	}{{4, &w.Few}, {50, &w.Many}} {
		for range measured.more {
			if err := exec.Command("/bin/sleep", "600").Start(); err != nil {
				return err
			}
		}
		for range 4 {
			look, err := s.Processes(context.Background())
			if err != nil {
				return err
			}
			w.Unlisted = look.Unlisted
		}
		l := s.newLook()
		*measured.into = testing.AllocsPerRun(20, func() { err = s.relist(context.Background(), l) })
		l.close()
		if err != nil {
			return err
		}
	}
	return json.NewEncoder(os.Stdout).Encode(w)
}

// churned is what PID 1 of a namespace of few PIDs saw while it gave them out again
// and again.
type churned struct {
	Skip   string
	Wrong  []string
	Reused int // PIDs that were seen as two processes
	Execs  int // seen within two looks
}

// enoughReused is how many PIDs are to be seen as two processes. How soon depends on how
// many of them the threads of the test take.
const enoughReused = 20

// TestFewPIDsAreToldApart: in a namespace of 420 PIDs each is given out again within
// a second.
func TestFewPIDsAreToldApart(t *testing.T) {
	var seen churned
	if answer := apart(t, "churn"); json.Unmarshal(answer, &seen) != nil {
		t.Fatalf("%s", answer)
	}
	if seen.Skip != "" {
		t.Skip(seen.Skip)
	}
	for _, wrong := range seen.Wrong {
		t.Error(wrong)
	}
	if seen.Reused < enoughReused || seen.Execs < 20 {
		t.Errorf("%d PIDs were given out again, %d processes called exec: that tells little", seen.Reused, seen.Execs)
	}
}

// becomer is a child that waits for a line and then becomes another program.
type becomer struct {
	cmd    *exec.Cmd
	tell   io.Writer
	name   string
	became bool
}

func newBecomer(number int) (*becomer, error) {
	b := &becomer{name: "before-" + strconv.Itoa(number)}
	b.cmd = exec.Command("/proc/self/exe", strconv.Itoa(number))
	b.cmd.Args[0] = b.name
	b.cmd.Env = append(os.Environ(), role+"=become")
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if b.tell, err = b.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := b.cmd.Start(); err != nil {
		return nil, err
	}
	_, err = bufio.NewReader(out).ReadString('\n')
	return b, err
}

// become has it call exec, and waits for it.
func (b *becomer) become() error {
	if _, err := fmt.Fprintln(b.tell); err != nil {
		return err
	}
	path := "/proc/" + strconv.Itoa(b.cmd.Process.Pid) + "/cmdline"
	for {
		line, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.HasPrefix(string(line), "after-") {
			b.name, b.became = "after-"+strings.TrimPrefix(b.name, "before-"), true
			return nil
		}
	}
}

func (b *becomer) end() {
	b.cmd.Process.Kill()
	b.cmd.Wait()
}

// becomeAnother is the becomer's own part.
func becomeAnother() error {
	fmt.Println("ready")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	os.Unsetenv(role)
	return syscall.Exec("/bin/sleep", []string{"after-" + os.Args[1], "600"}, os.Environ())
}

// churn is PID 1 of a namespace in which few PIDs are left.
func churn() error {
	seen := churned{}
	if err := privateProc(); err != nil {
		seen.Skip = err.Error()
		return json.NewEncoder(os.Stdout).Encode(seen)
	}
	if why := fewPIDs(); why != "" {
		seen.Skip = why
		return json.NewEncoder(os.Stdout).Encode(seen)
	}
	if err := seen.run(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(seen)
}

// fewPIDs leaves 420 PIDs to this namespace; older kernels have one limit for the
// whole host, which is not touched.
func fewPIDs() (why string) {
	release, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return err.Error()
	}
	var major, minor int
	fmt.Sscanf(string(release), "%d.%d", &major, &minor)
	if major < 6 || major == 6 && minor < 14 {
		return "pid_max is the whole host's here"
	}
	if err := os.WriteFile("/proc/sys/kernel/pid_max", []byte("420"), 0); err != nil {
		return err.Error()
	}
	return ""
}

func (c *churned) run() error {
	s, err := New(Options{Candidate: func(p *inventory.Process) bool { return strings.HasPrefix(strings.Join(p.Argv, " "), "after-") }, Selection: &marked{wanted: 2}})
	if err != nil {
		return err
	}
	s.services = func(context.Context, bool) (map[int]string, error) { return nil, nil }
	var alive []*becomer
	before := map[int]inventory.ID{}
	for turn := 0; turn < 60 || c.Reused < enoughReused && turn < 1000; turn++ {
		for range 3 {
			b, err := newBecomer(turn)
			if err != nil {
				return err
			}
			alive = append(alive, b)
		}
		for len(alive) > 9 {
			alive[0].end()
			alive = alive[1:]
		}
		var called []*becomer
		if b := alive[len(alive)/2]; !b.became {
			if err := b.become(); err != nil {
				return err
			}
			called = append(called, b)
		}
		looks := 1
		if len(called) > 0 { // seen within two looks
			looks = 2
		}
		var look Look
		for range looks {
			if look, err = s.Processes(context.Background()); err != nil {
				return err
			}
		}
		c.compare(look, alive, before)
		c.Execs += len(called)
	}
	for _, b := range alive {
		b.end()
	}
	return nil
}

// compare holds a look against what is there.
func (c *churned) compare(look Look, alive []*becomer, before map[int]inventory.ID) {
	byPID := map[int]inventory.Process{}
	for _, p := range look.Processes {
		byPID[p.PID] = p
	}
	for _, b := range alive {
		pid := b.cmd.Process.Pid
		p, listed := byPID[pid]
		if !listed || p.Argv[0] != b.name {
			c.Wrong = append(c.Wrong, fmt.Sprintf("process %d is %s, and was seen as %q", pid, b.name, p.Argv))
			continue
		}
		if was, known := before[pid]; known && was != p.ID() {
			c.Reused++
		}
		before[pid] = p.ID()
	}
}

// TestWhatEndsBeforeItIsAskedForAnewIsGone has a process end that was left out of the
// looks so far, after the look that now wants it has listed it.
func TestWhatEndsBeforeItIsAskedForAnewIsGone(t *testing.T) {
	c := sleeper(t, nil, nil)
	s := selecting(t, func(*inventory.Process) bool { return false }, selectAll(false))
	lookAt(t, s)
	lookAt(t, s)
	i, found := findSlot(s.slots, c.pid())
	if !found || s.slots[i].record != nil {
		t.Fatal("the process is not among those that are left out")
	}
	c.end()
	s.looks++
	l := s.newLook()
	defer l.close()
	l.members = make([]*member, len(s.slots))
	if m := l.list(i); !m.gone || m.process.PID != c.pid() {
		t.Errorf("got %+v, want one that is gone", m.process)
	}
}

// A program's pages are shared by all who run it, whether they are listed or not: a size is read anew when their number
// changes.
func TestASizeIsReadAnewWhenUnlistedCopiesOfItsProgramComeAndGo(t *testing.T) {
	binary := publicBinary(t)
	server := player(t, "wait", func(cmd *exec.Cmd) { cmd.Path = binary })
	server.line(t)
	s := selecting(t, func(p *inventory.Process) bool { return p.PID == server.pid() }, selectAll(false))
	isReadAmong := func(when string, copies int) {
		t.Helper()
		look := lookAt(t, s)
		if listed := slices.DeleteFunc(slices.Clone(look.Processes), func(p inventory.Process) bool { return p.Exe != binary }); len(listed) != 1 {
			t.Fatalf("%d of %s are listed, want the server alone", len(listed), binary)
		}
		if kind := in(t, look, server.pid()).MemoryKind; kind != "pss" {
			t.Skipf("its size is of the kind %q", kind)
		}
		at, _ := findSlot(s.slots, server.pid())
		if read := s.slots[at].record.footprint.value.copies; read != copies {
			t.Errorf("%s its size is that among %d copies, want %d", when, read, copies)
		}
	}
	for range 3 { // what is not listed is read at every other look
		isReadAmong("alone", 1)
	}
	strangers := []int{leftAlone(t, binary), leftAlone(t, binary), leftAlone(t, binary)}
	for _, pid := range strangers { // setsid runs it with an exec
		eventually.Holds(t, "the stranger's program", func() bool {
			program, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "exe"))
			return err == nil && program == binary
		})
	}
	isReadAmong("beside three copies", 4)
	for _, pid := range strangers {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	eventually.Holds(t, "their end", func() bool {
		return !slices.ContainsFunc(strangers, func(pid int) bool {
			line, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
			row, _ := procstat.Parse(line)
			return err == nil && row.Condition() != procstat.Exited
		})
	})
	lookAt(t, s) // what is not listed and waits for its parent is noticed within two looks
	isReadAmong("when they have ended", 1)
}

package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/reap"
	"github.com/reaperd/reaperd/internal/scan"
)

// SelfTest tries reaperd on real processes: children of its own in known shapes (a stdin whose writer
// is gone, one that is held, a socket pair, an orphan, a listener, one that exits while it is being
// read). It compares what the scanner sees with what they are, and ends one of them as a sweep would.
// It touches nothing else on the host. One that could not finish is a fault as well.
//
// A child is this program, started with the name of a part ([PlayPart]). It holds a lifeline, a pipe to
// the tester, and ends when the tester does.
func SelfTest(ctx context.Context, version string) []Symptom {
	symptoms, err := tryAll(ctx)
	if err != nil {
		symptoms = append(symptoms, Symptom{"self-test", stateFault, "it could not be finished: " + err.Error(), ""})
	}
	return append([]Symptom{{"self-test", stateOK, version + " on " + systemHere(), ""}}, symptoms...)
}

// systemHere names the system, its kernel's release and the processor.
func systemHere() string {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return runtime.GOOS + " " + runtime.GOARCH
	}
	return runtime.GOOS + " " + unix.ByteSliceToString(name.Release[:]) + " " + runtime.GOARCH
}

// test is one self-test under way.
type test struct {
	*stage
	scanner *scan.Scanner
	checks  []Symptom
	look    scan.Look
}

// tryAll tries everything, and returns what it tried in order. An error is that it
// could not be tried at all.
func tryAll(ctx context.Context) ([]Symptom, error) {
	s, err := newStage()
	if err != nil {
		return nil, err
	}
	defer s.close()
	t := &test{stage: s}
	if t.scanner, err = scan.New(scan.Options{Candidate: s.matters}); err != nil {
		return nil, fmt.Errorf("open the process table: %w", err)
	}
	defer t.scanner.Close()
	for _, try := range []func(context.Context) error{t.tryShapes, t.tryListener, t.tryExits, t.tryReap} {
		if err := try(ctx); err != nil {
			return t.checks, err
		}
	}
	return t.checks, nil
}

// note is what was seen, in words that say nothing about anything else on the host, and what should have been.
func (t *test) note(name, want, saw string) {
	found := Symptom{"self-test: " + name, stateOK, saw, ""}
	if saw != want {
		found.State, found.Text = stateFault, "saw "+saw+"; it is "+want
		found.Remedy = "report it, with all of this output: what reaperd sees here is not what there is"
	}
	t.checks = append(t.checks, found)
}

// see looks, and returns a process of that look.
func (t *test) see(ctx context.Context, pid int) (inventory.Process, error) {
	look, err := t.scanner.Processes(ctx)
	if err != nil {
		return inventory.Process{}, err
	}
	t.look = look
	return t.of(pid), nil
}

func (t *test) of(pid int) inventory.Process {
	i := slices.IndexFunc(t.look.Processes, func(p inventory.Process) bool { return p.PID == pid })
	if i < 0 {
		return inventory.Process{}
	}
	return t.look.Processes[i]
}

// shape is a child's streams, and what must be seen of them.
type shape struct {
	streams stream
	want    string
}

// shapes are the children whose streams are compared.
func shapes() []shape {
	return []shape{
		{pipeHeld, "stdin pipe open, held by the self-test; stdout pipe open, held by the self-test"},
		{pipeGone, "stdin pipe closed; stdout pipe closed"},
		{socketHeld, "stdin socket open, held by the self-test; stdout socket open, held by the self-test"},
		{socketGone, "stdin socket closed; stdout socket closed"},
		{deviceNull, "stdin null; stdout null"},
	}
}

// tryShapes compares streams and what a process is, for children in known shapes.
func (t *test) tryShapes(ctx context.Context) error {
	all := shapes()
	pids := make([]int, len(all))
	for i, shape := range all {
		up, err := t.start(partWait, shape.streams, "", "--flag", "")
		if err != nil {
			return err
		}
		pids[i] = up.pid
	}
	first, err := t.see(ctx, pids[0])
	if err != nil {
		return err
	}
	t.compareProcess(first)
	for i, shape := range all {
		t.note(string(shape.streams), shape.want, streamsOf(t.of(pids[i])))
	}
	again, err := t.scanner.Process(first.ID())
	saw := streamsOf(again)
	if err != nil {
		saw = err.Error()
	}
	t.note("read anew", streamsOf(first), saw)
	return nil
}

// compareProcess compares what is said of a child with what it was started with.
func (t *test) compareProcess(p inventory.Process) {
	t.note("parent and user", fmt.Sprintf("parent: the self-test; user: %d", os.Geteuid()), fmt.Sprintf("parent: %s; user: %d", nameOf(p.PPID.Or(0)), p.UID.Or(-1)))
	want := partArgs(partWait, "", "--flag", "")
	t.note("arguments, empty ones too", quoted(want), quoted(p.Argv))
	t.note("environment", "REAPERD_KEEP=self-test, not withheld", fmt.Sprintf("REAPERD_KEEP=%s, %s", p.Env["REAPERD_KEEP"], withheld(p.EnvWithheld)))
	t.note("working directory", t.folder, p.Cwd)
	t.note("start", "within a minute", within(time.Since(p.StartedAt), time.Minute))
	t.note("figures", "memory, processor time and threads", figures(p))
	if runtime.GOOS == "darwin" {
		t.compareMac(p)
	}
}

// compareMac compares what only macOS tells.
func (t *test) compareMac(p inventory.Process) {
	self := t.of(os.Getpid())
	t.note("who forked it", self.ID().String(), p.OriginalParent)
	t.note("kind of memory", "footprint", p.MemoryKind)
	services := "launchd answers"
	if slices.Contains(t.look.Source.Gaps, inventory.GapServices) {
		services = t.look.Source.Reason
	}
	t.note("services", "launchd answers", services)
}

func quoted(argv []string) string {
	return fmt.Sprintf("%q", argv[min(1, len(argv)):])
}

func withheld(is bool) string {
	if is {
		return "withheld"
	}
	return "not withheld"
}

func within(took, limit time.Duration) string {
	if took < -time.Second || took > limit {
		return took.String() + " ago"
	}
	return "within a minute"
}

func figures(p inventory.Process) string {
	var missing []string
	for name, there := range map[string]bool{"memory": p.MemoryBytes.Or(0) > 0, "processor time": p.CPUSeconds.IsKnown(), "threads": p.Threads.Or(0) > 0} {
		if !there {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return "memory, processor time and threads"
	}
	slices.Sort(missing)
	return "without " + strings.Join(missing, ", ")
}

func nameOf(pid int) string {
	if pid == os.Getpid() {
		return "the self-test"
	}
	return fmt.Sprint("process ", pid)
}

// streamsOf are stdin and stdout in words.
func streamsOf(p inventory.Process) string {
	if p.PID == 0 {
		return "not in the table"
	}
	return "stdin " + streamWords(p.Stdin) + "; stdout " + streamWords(p.Stdout)
}

func streamWords(stream inventory.Fact[inventory.Stdio]) string {
	stdio, known := stream.Get()
	if !known {
		return "unreadable"
	}
	words := strings.TrimSpace(fmt.Sprint(stdio.Kind, " ", stdio.Peer))
	var holders []string
	for _, pid := range stdio.Holders {
		holders = append(holders, nameOf(pid))
	}
	if len(holders) > 0 {
		words += ", held by " + strings.Join(holders, ", ")
	}
	return words
}

// tryListener compares what is said of a child that listens, alone and with a
// connection, over TCP and over a Unix socket.
func (t *test) tryListener(ctx context.Context) error {
	up, alone, err := t.startListener(ctx)
	if err != nil {
		return err
	}
	_, port, _ := strings.Cut(up.address, ":")
	words := func(connections string) string { return "listens at port " + port + ", connections: " + connections }
	t.note("a listener", words("0"), listenerWords(alone))
	for _, call := range []struct{ network, address, name, listens string }{
		{"tcp", up.address, "at its port", "at port"},
		{"unix", filepath.Join(t.folder, socketName(t.folder)), "at its Unix socket", "there and at port"}, // it has both
	} {
		hangUp, err := t.connect(call.network, call.address)
		if err != nil {
			return fmt.Errorf("call the listener: %w", err)
		}
		called, err := t.see(ctx, up.pid)
		hangUp()
		if err != nil {
			return err
		}
		told := func(words string) string { return strings.Replace(words, "at port", call.listens, 1) }
		t.note("that listener, called "+call.name, told(words("some")), told(listenerWords(called)))
	}
	return nil
}

// startListener starts a child that listens and looks at it. Its port may have been
// another listener's less than a minute ago, and that one's ended connections count
// as long as the kernel remembers them: then it takes another port.
func (t *test) startListener(ctx context.Context) (up child, alone inventory.Process, err error) {
	for range 3 {
		if up, err = t.start(partListen, deviceNull); err != nil {
			return up, alone, err
		}
		if alone, err = t.see(ctx, up.pid); err != nil || alone.Connections.Or(1) == 0 {
			return up, alone, err
		}
	}
	return up, alone, nil
}

func listenerWords(p inventory.Process) string {
	connections := "unreadable"
	if count, known := p.Connections.Get(); known && count == 0 {
		connections = "0"
	} else if known {
		connections = "some"
	}
	if !p.Listening.Or(false) {
		return "does not listen"
	}
	ports := strings.Trim(fmt.Sprint(p.ListenPorts), "[]")
	return fmt.Sprintf("listens at port %s, connections: %s", ports, connections)
}

// tryExits looks while children exit, and waits until the watcher reports one.
func (t *test) tryExits(ctx context.Context) error {
	const many = 16
	saw := "every look is whole"
	for range many {
		if _, err := t.start(partExit, pipeGone); err != nil {
			return err
		}
		if _, err := t.see(ctx, 0); err != nil {
			saw = err.Error()
		}
	}
	t.note("children that exit while they are read", "every look is whole", saw)
	return nil
}

// everythingHolds is the evidence of a self-test: what it ends is its own.
type everythingHolds struct{}

func (everythingHolds) StillHolds(context.Context, reap.Act) (bool, string) { return true, "" }

// tryReap makes two orphans, one that ignores SIGTERM, and ends both as the daemon
// would. The watcher must report their exits.
func (t *test) tryReap(ctx context.Context) error {
	up, err := t.start(partOrphan, socketGone)
	if err != nil {
		return err
	}
	left, err := t.see(ctx, up.pid)
	if err != nil {
		return err
	}
	t.note("an orphan", "stdin socket closed; stdout socket closed; its parent is another", streamsOf(left)+"; its parent is "+another(left))
	stubborn, err := t.start(partStubborn, pipeGone)
	if err != nil {
		return err
	}
	second, err := t.see(ctx, stubborn.pid)
	if err != nil {
		return err
	}
	t.reap(ctx, "ending the orphan", left.ID(), human.Exited)
	t.reap(ctx, "ending one that ignores SIGTERM", second.ID(), human.Killed)
	return nil
}

// another tells whether a process has another parent than the self-test.
func another(p inventory.Process) string {
	if p.PPID.Or(0) == os.Getpid() {
		return "the self-test"
	}
	return "another"
}

func (t *test) reap(ctx context.Context, name string, id inventory.ID, want human.Result) {
	watcher := scan.NewWatcher()
	defer watcher.Close()
	watcher.Watch([]inventory.ID{id})
	reaper := &reap.Reaper{Processes: t.scanner, Evidence: everythingHolds{}, Options: reap.Options{Grace: 2 * time.Second}}
	outcome := reaper.Execute(ctx, []reap.Act{{ID: "self-test", TargetID: id.String(), Kind: "server", Root: id, Members: []inventory.ID{id}}})[0]
	saw := string(outcome.Result)
	if outcome.Result != want {
		saw += " (" + outcome.Detail + ")"
	}
	t.note(name, string(want), saw)
	t.note(name+", as watched", "it is told", told(watcher, id))
}

// told waits until the watcher reports that a process has exited.
func told(watcher *scan.Watcher, id inventory.ID) string {
	if err := watcher.Err(); err != nil {
		return err.Error()
	}
	select {
	case ended := <-watcher.Exited():
		if ended == id {
			return "it is told"
		}
		return "another is told of"
	case <-time.After(patience):
		return fmt.Sprintf("nothing is told within %s", patience)
	}
}

package scan

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
)

// row is one process of a little world: on what its stdin is, and which
// sockets' other ends it holds.
type row struct {
	pid, ppid int
	stdin     inventory.Fact[inventory.Stdio]
	other     uint64 // the inode of stdin's other end; 0 is unknown
	holds     []uint64
	adopted   bool
}

func terminal() inventory.Fact[inventory.Stdio] {
	return inventory.Known(inventory.Stdio{Kind: inventory.KindTTY, ID: "/dev/pts/1"})
}

func socketWith(peer inventory.Peer) inventory.Fact[inventory.Stdio] {
	return inventory.Known(inventory.Stdio{Kind: inventory.KindSocket, ID: "socket:[1]", Peer: peer})
}

// worldOf is a look in which all rows have been read.
func worldOf(rows []row) *look {
	l := &look{scanner: &Scanner{stable: true}}
	l.members, l.scanner.slots = make([]*member, len(rows)), make([]slot, len(rows))
	all := make([]int, len(rows))
	for i, r := range rows {
		process := inventory.Process{PID: r.pid, PPID: inventory.Known(r.ppid), Stdin: r.stdin, State: "S"}
		l.scanner.slots[i] = slot{pid: int32(r.pid), ppid: int32(r.ppid), adopted: r.adopted, record: &record{process: process}}
		table := &descriptors{}
		for _, inode := range r.holds {
			table.links = append(table.links, descriptor{kind: linkSocket, key: inode})
		}
		l.members[i] = &member{process: process, standing: standing{nearest: -1}, table: table}
		if r.other != 0 {
			l.members[i].stdin = stream{stdio: r.stdin, other: end{kind: linkSocket, key: r.other}}
		}
		all[i] = i
	}
	l.addTables(all)
	return l
}

// TestOnlyTheAnchoredDecide: what is not anchored may be left over itself, so
// that everybody who holds its ends must be known.
func TestOnlyTheAnchoredDecide(t *testing.T) {
	open, closed := socketWith(inventory.PeerOpen), socketWith(inventory.PeerClosed)
	null := inventory.Known(inventory.Stdio{Kind: inventory.KindNull})
	session := []row{{pid: 1, stdin: null}, {pid: 2, ppid: 1, stdin: terminal(), holds: []uint64{30}}}
	with := func(rows ...row) []row { return append(slices.Clone(session), rows...) }
	for _, world := range []struct {
		says string
		rows []row // the last one is asked about
		want bool
	}{
		{"a session on a terminal", with(), true},
		{"a server whose session on a terminal holds its stdin", with(row{pid: 3, ppid: 2, stdin: open, other: 30}), true},
		{"a server's server", with(row{pid: 3, ppid: 2, stdin: open, other: 30, holds: []uint64{40}}, row{pid: 4, ppid: 3, stdin: open, other: 40}), true},
		{"a server whose stdin is closed", with(row{pid: 3, ppid: 2, stdin: closed}), false},
		{"a server whose stdin only a sibling holds", with(row{pid: 3, ppid: 2, stdin: null, holds: []uint64{40}}, row{pid: 4, ppid: 2, stdin: open, other: 40}), false},
		{"one whose stdin nobody who was read holds", with(row{pid: 3, ppid: 2, stdin: open, other: 99}), false},
		{"one that holds its own stdin", with(row{pid: 3, ppid: 2, stdin: open, other: 40, holds: []uint64{40}}), false},
		{"one whose stdin is open, to a place unknown", with(row{pid: 3, ppid: 2, stdin: open}), false},
		{"one on a terminal below one whose stdin is closed", with(row{pid: 3, ppid: 2, stdin: closed}, row{pid: 4, ppid: 3, stdin: terminal()}), false},
		{"one that is held by one whose own stdin is closed", with(row{pid: 3, ppid: 2, stdin: closed, holds: []uint64{40}}, row{pid: 4, ppid: 3, stdin: open, other: 40}), false},
		{"one that was taken over by another parent", with(row{pid: 3, ppid: 2, stdin: null, adopted: true}), false},
		{"one below one that was taken over", with(row{pid: 3, ppid: 1, stdin: null, adopted: true}, row{pid: 4, ppid: 3, stdin: null}), false},
		{"one whose stdin could not be read", with(row{pid: 3, ppid: 2, stdin: inventory.Unreadable[inventory.Stdio]()}), true},
		{"one whose stdin could not be told", with(row{pid: 3, ppid: 2, stdin: socketWith(inventory.PeerUnknown)}), true},
		{"one that was not read", with(row{pid: 3, ppid: 2}), false},
		{"one whose parent is hidden", with(row{pid: 9, ppid: 8, stdin: null}), true},
		{"one below PID 1 whose stdin is closed", []row{{pid: 1, stdin: closed}, {pid: 2, ppid: 1, stdin: null}}, false},
		{"one below PID 1 whose stdin somebody outside holds", []row{{pid: 1, stdin: open}, {pid: 2, ppid: 1, stdin: null}}, true},
		{"one below PID 1 that was not read", []row{{pid: 1}, {pid: 2, ppid: 1, stdin: null}}, false},
		{"a ring of parents, read one by one", []row{{pid: 5, ppid: 6, stdin: null}, {pid: 6, ppid: 5, stdin: null}}, false},
	} {
		t.Run(world.says, func(t *testing.T) {
			if got := worldOf(world.rows).isAnchored(len(world.rows) - 1); got != world.want {
				t.Errorf("anchored: %v, want %v", got, world.want)
			}
		})
	}
}

func TestWhenTheHoldersAtHandSuffice(t *testing.T) {
	open := socketWith(inventory.PeerOpen)
	null := inventory.Known(inventory.Stdio{Kind: inventory.KindNull})
	for _, world := range []struct {
		says     string
		rows     []row // the last one's stdout is asked about
		complete bool
		walked   uint32 // so many looks ago nobody was found; 0 is never
		want     bool
	}{
		{says: "its session reads it", rows: []row{{pid: 1, stdin: null}, {pid: 2, ppid: 1, stdin: terminal(), holds: []uint64{50}}, {pid: 3, ppid: 2, stdin: socketWith(inventory.PeerClosed)}}, want: true},
		{says: "its session reads it, and everybody is asked for", rows: []row{{pid: 1, stdin: null}, {pid: 2, ppid: 1, stdin: terminal(), holds: []uint64{50}}, {pid: 3, ppid: 2, stdin: null}}, complete: true},
		{says: "a logger reads a service's", rows: []row{{pid: 1, stdin: null}, {pid: 2, ppid: 1, stdin: null, holds: []uint64{50}}, {pid: 3, ppid: 1, stdin: null}}, want: true},
		{says: "nobody who was read reads a service's", rows: []row{{pid: 1, stdin: null}, {pid: 3, ppid: 1, stdin: null}}},
		{says: "it was lately found that nobody in the table does", rows: []row{{pid: 1, stdin: null}, {pid: 3, ppid: 1, stdin: null}}, walked: 1, want: true},
		{says: "it was found long ago that nobody in the table does", rows: []row{{pid: 1, stdin: null}, {pid: 3, ppid: 1, stdin: null}}, walked: redescribing},
		{says: "nobody in the table does, of one that lost its stdin", rows: []row{{pid: 1, stdin: null}, {pid: 3, ppid: 1, stdin: socketWith(inventory.PeerClosed)}}, walked: 1},
		{says: "nobody in the table does, and everybody is asked for", rows: []row{{pid: 1, stdin: null}, {pid: 3, ppid: 1, stdin: null}}, walked: 1, complete: true},
		{says: "a bystander reads that of one that lost its stdin", rows: []row{{pid: 1, stdin: null}, {pid: 2, ppid: 1, stdin: null, holds: []uint64{50}}, {pid: 3, ppid: 1, stdin: socketWith(inventory.PeerClosed)}}},
		{says: "a parent that lost its own stdin reads it", rows: []row{{pid: 1, stdin: null}, {pid: 2, ppid: 1, stdin: socketWith(inventory.PeerClosed), holds: []uint64{50}}, {pid: 3, ppid: 2, stdin: null}}},
	} {
		t.Run(world.says, func(t *testing.T) {
			l := worldOf(world.rows)
			l.complete = world.complete
			stdout := stream{stdio: open, other: end{kind: linkSocket, key: 50}}
			if world.walked > 0 {
				var walked cached[struct{}, struct{}]
				walked.keep(struct{}{}, struct{}{}, 100-world.walked, redescribing)
				l.scanner.looks, l.scanner.outside = 100, map[end]cached[struct{}, struct{}]{stdout.other: walked}
			}
			if got := l.suffices(len(world.rows)-1, &stdout); got != world.want {
				t.Errorf("suffices: %v, want %v", got, world.want)
			}
		})
	}
}

// TestHoldersAreNeverOfAnEarlierLook follows one server's stdin while its
// session, then a bystander, then nobody holds the other end.
func TestHoldersAreNeverOfAnEarlierLook(t *testing.T) {
	var steps followed
	if answer := apart(t, "follow"); json.Unmarshal(answer, &steps) != nil {
		t.Fatalf("%s", answer)
	}
	if steps.Skip != "" {
		t.Skip(steps.Skip)
	}
	if !reflect.DeepEqual(steps.Held, []int{steps.Session}) || steps.WalkedFor {
		t.Errorf("while its session holds it: holders %v, want %d alone; bystanders read: %v", steps.Held, steps.Session, steps.WalkedFor)
	}
	if steps.Asked {
		t.Error("while its session holds it: it is asked with whom the server shares other descriptors, which can change nothing")
	}
	if !slices.Contains(steps.Shared, steps.Session) {
		t.Errorf("while both hold it: holders %v without its session %d", steps.Shared, steps.Session)
	}
	if !reflect.DeepEqual(steps.Fresh, []int{steps.Session, steps.Bystander}) {
		t.Errorf("read by itself while both hold it: holders %v, want %d and %d", steps.Fresh, steps.Session, steps.Bystander)
	}
	if !reflect.DeepEqual(steps.Left, []int{steps.Bystander}) {
		t.Errorf("when its session has let go: holders %v, want %d alone", steps.Left, steps.Bystander)
	}
	if steps.End != inventory.PeerClosed {
		t.Errorf("when nobody holds it: %s", steps.End)
	}
}

// followed is what the looks of TestHoldersAreNeverOfAnEarlierLook saw.
type followed struct {
	Skip                      string
	Session, Bystander        int
	Held, Shared, Left, Fresh []int
	WalkedFor, Asked          bool
	End                       inventory.Peer
}

// follow is PID 1 of a namespace of its own, so that nothing above the session
// is on a pipe.
func follow() error {
	if err := privateProc(); err != nil {
		return json.NewEncoder(os.Stdout).Encode(followed{Skip: err.Error()})
	}
	f, err := followSession()
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(f)
}

func followSession() (f followed, err error) {
	session, order, err := startSession()
	if err != nil {
		return f, err
	}
	f.Session = session
	server, stranger := order("server"), order("stranger")
	s, err := New(Options{Candidate: func(p *inventory.Process) bool { return p.PID == server }})
	if err != nil {
		return f, err
	}
	var id inventory.ID
	asked := false
	stdin := func() (stdin inventory.Stdio, walked bool) {
		look, failed := s.Processes(context.Background())
		err = errors.Join(err, failed)
		for _, p := range look.Processes {
			switch p.PID {
			case server:
				stdin, id, asked = p.Stdin.Or(inventory.Stdio{}), p.ID(), !p.Shares.IsZero()
			case stranger:
				walked = p.OpenFDs.IsKnown()
			}
		}
		return stdin, walked
	}
	seen, walked := stdin()
	f.Held, f.WalkedFor, f.Asked = seen.Holders, walked, asked
	f.Bystander = order("share")
	seen, _ = stdin()
	f.Shared = seen.Holders
	fresh, failed := s.Process(id)
	f.Fresh = fresh.Stdin.Or(inventory.Stdio{}).Holders
	order("let go")
	seen, _ = stdin()
	f.Left = seen.Holders
	order("end the bystander")
	seen, _ = stdin()
	f.End = seen.Peer
	return f, errors.Join(err, failed)
}

// startSession starts a session with /dev/null as stdin and stdout. What it is
// ordered to do it answers with a PID.
func startSession() (pid int, order func(string) int, err error) {
	theirs, orders, err := os.Pipe()
	if err != nil {
		return 0, nil, err
	}
	answers, answer, err := os.Pipe()
	if err != nil {
		return 0, nil, err
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), role+"=session")
	cmd.Stderr, cmd.ExtraFiles = os.Stderr, []*os.File{theirs, answer}
	err = cmd.Start()
	theirs.Close()
	answer.Close()
	lines := bufio.NewReader(answers)
	order = func(what string) (pid int) {
		fmt.Fprintln(orders, what)
		fmt.Fscanln(lines, &pid)
		return pid
	}
	if err != nil {
		return 0, nil, err
	}
	return cmd.Process.Pid, order, nil
}

// session does what it reads on descriptor 3 and answers on 4.
func session() error {
	orders, answers := bufio.NewScanner(os.NewFile(3, "orders")), os.NewFile(4, "answers")
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	var bystander *exec.Cmd
	for orders.Scan() {
		cmd := exec.Command("/bin/sleep", "600")
		switch orders.Text() {
		case "server":
			cmd.Stdin = read
		case "share":
			cmd.ExtraFiles, bystander = []*os.File{write}, cmd
		case "let go":
			write.Close()
			fmt.Fprintln(answers, os.Getpid())
			continue
		case "end the bystander":
			bystander.Process.Kill()
			bystander.Wait()
			fmt.Fprintln(answers, os.Getpid())
			continue
		}
		if err := cmd.Start(); err != nil {
			return err
		}
		read.Close()
		fmt.Fprintln(answers, cmd.Process.Pid)
	}
	return orders.Err()
}

// TestAsksManagersWhereAServiceMayHaveStarted: asking costs a message a unit.
func TestAsksManagersWhereAServiceMayHaveStarted(t *testing.T) {
	const asked, now = 20, 25
	for _, world := range []struct {
		says  string
		since uint32
		ppid  int
		asked uint32
		want  bool
	}{
		{says: "nothing new", since: 3, ppid: 1, asked: asked},
		{says: "never asked", since: 3, ppid: 1, want: true},
		{says: "asked long ago", since: 3, ppid: 1, asked: now - rolling, want: true},
		{says: "a new process below PID 1, or one that came to it", since: 22, ppid: 1, asked: asked, want: true},
		{says: "a new process below a user's manager", since: 22, ppid: 7, asked: asked, want: true},
		{says: "a new process below a parent that cannot be seen", since: 22, ppid: 6, asked: asked, want: true},
		{says: "a new process elsewhere", since: 22, ppid: 8, asked: asked},
	} {
		t.Run(world.says, func(t *testing.T) {
			l := worldOf([]row{{pid: 7, ppid: 0}, {pid: 8, ppid: 0}, {pid: 9, ppid: world.ppid}})
			s := l.scanner
			l.clocks, s.looks, s.slots[0].systemd, s.slots[2].since = readClocks(), now, true, world.since
			if world.asked > 0 {
				s.units.keep(struct{}{}, nil, world.asked, rolling)
			}
			if got := s.mayHaveStarted(l); got != world.want {
				t.Errorf("asks: %v, want %v", got, world.want)
			}
		})
	}
}

func TestExecOfAnOldStrangerIsNoticed(t *testing.T) {
	stdin, tell := pipe(t)
	c := player(t, "exec", func(cmd *exec.Cmd) { cmd.Stdin = stdin })
	c.line(t)
	s := scannerOf(t)
	lookAt(t, s)
	fmt.Fprintln(tell)
	awaitExec(t, c)
	for range rolling {
		if argv := in(t, lookAt(t, s), c.pid()).Argv; reflect.DeepEqual(argv, []string{"other-program", "600"}) {
			return
		}
	}
	t.Errorf("%d looks later it is still taken for what it was", rolling)
}

// TestWhatBecomesACandidateIsReadAnew: what an old stranger is remembered by may
// be many looks old.
func TestWhatBecomesACandidateIsReadAnew(t *testing.T) {
	c := sleeper(t, nil, nil)
	wanted := 0
	s, err := New(Options{Candidate: func(p *inventory.Process) bool { return p.PID == wanted }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	lookAt(t, s)
	at, ok := findSlot(s.slots, c.pid())
	if !ok {
		t.Fatal("the child was not seen")
	}
	s.slots[at].record.process.Cwd = "/elsewhere"
	wanted = c.pid()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if got := in(t, lookAt(t, s), c.pid()).Cwd; got != here {
		t.Errorf("its directory is %q, want %q", got, here)
	}
}

func TestMarkersAreThoseOfTheProgramThatRuns(t *testing.T) {
	stdin, tell := pipe(t)
	c := player(t, "exec", func(cmd *exec.Cmd) {
		cmd.Stdin, cmd.Env = stdin, append(cmd.Env, "REAPERD_KEEP=1")
	})
	c.line(t)
	s := scannerOf(t, c.pid())
	for range 2 {
		if markers := in(t, lookAt(t, s), c.pid()).Env; markers["REAPERD_KEEP"] != "1" {
			t.Fatalf("before the exec: %q", markers)
		}
	}
	fmt.Fprintln(tell)
	awaitExec(t, c)
	if markers := in(t, lookAt(t, s), c.pid()).Env; markers == nil || len(markers) != 0 {
		t.Errorf("after the exec: %q", markers)
	}
}

func TestAFootprintStandsWhileTheSizeDoes(t *testing.T) {
	for _, world := range []struct {
		says string
		then footprint
		now  footprint
		want bool
	}{
		{"never read", footprint{}, footprint{}, false},
		{"the same size", footprint{pss: 50, resident: 160}, footprint{resident: 160}, true},
		{"a sixteenth larger", footprint{pss: 50, resident: 160}, footprint{resident: 170}, true},
		{"larger than that", footprint{pss: 50, resident: 160}, footprint{resident: 171}, false},
		{"smaller than that", footprint{pss: 50, resident: 160}, footprint{resident: 149}, false},
		{"another copy of its program runs", footprint{pss: 50, resident: 160, copies: 1}, footprint{resident: 160, copies: 2}, false},
		{"copies of its program have ended", footprint{pss: 50, resident: 160, copies: 5}, footprint{resident: 160, copies: 1}, false},
		{"one of many has ended", footprint{pss: 50, resident: 160, copies: 16}, footprint{resident: 160, copies: 14}, true},
	} {
		if got := world.then.stands(world.now); got != world.want {
			t.Errorf("%s: %v, want %v", world.says, got, world.want)
		}
	}
}

// A container without its host's /run/systemd cannot ask, and says so; a host
// without systemd has nothing to ask.
func TestServicesThatCannotBeAskedAreAGap(t *testing.T) {
	for _, world := range []struct {
		first string // what process 1 calls itself
		err   error
		said  string
		gaps  []inventory.Gap
	}{
		{"systemd", errNoSystemd, "a container needs it mounted", []inventory.Gap{inventory.GapServiceManager}},
		{"systemd", errors.New("access denied"), "access denied", []inventory.Gap{inventory.GapServices}},
		{"init", errors.New("access denied"), "access denied", []inventory.Gap{inventory.GapServices}},
		{"init", errNoSystemd, "", nil},
		{"systemd", nil, "", nil},
	} {
		l := worldOf([]row{{pid: 1, ppid: 0}, {pid: 7, ppid: 1}})
		s := l.scanner
		l.members[0].process.Comm, s.slots[0].systemd, l.clocks, s.looks = world.first, world.first == "systemd", readClocks(), 1
		s.services = func(context.Context, bool) (map[int]string, error) { return nil, world.err }
		s.readServices(t.Context(), l)
		said := strings.Join(l.complaints, "; ")
		if (said != "") != (world.said != "") || !strings.Contains(said, world.said) || !slices.Equal(l.gaps, world.gaps) {
			t.Errorf("process 1 is %s, %v: said %q, want %q; gaps %v", world.first, world.err, said, world.said, l.gaps)
		}
	}
}

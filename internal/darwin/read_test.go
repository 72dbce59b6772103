package darwin

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/mac/darwintest"
)

func TestArguments(t *testing.T) {
	count := func(n uint32) string { return string(binary.LittleEndian.AppendUint32(nil, n)) }
	for _, world := range []struct {
		says, data string
		want       Arguments
		bad        bool
	}{
		{says: "a program with its environment", data: count(2) + "/usr/local/bin/node\x00\x00\x00\x00\x00node\x00index.js\x00HOME=/Users/a\x00OPENCODE_PID=7\x00",
			want: Arguments{Exe: "/usr/local/bin/node", Argv: []string{"node", "index.js"}, Environment: []byte("HOME=/Users/a\x00OPENCODE_PID=7\x00")}},
		{says: "empty arguments, which must not pull the environment in", data: count(4) + "/bin/a\x00\x00a\x00\x00b\x00\x00TOKEN=x\x00",
			want: Arguments{Exe: "/bin/a", Argv: []string{"a", "", "b", ""}, Environment: []byte("TOKEN=x\x00")}},
		{says: "a restricted program, whose environment is withheld", data: count(1) + "/bin/zsh\x00-zsh\x00",
			want: Arguments{Exe: "/bin/zsh", Argv: []string{"-zsh"}, Environment: []byte{}, Withheld: true}},
		{says: "a program whose environment is empty", data: count(1) + "/bin/a\x00a\x00\x00ptr_munge=\x00",
			want: Arguments{Exe: "/bin/a", Argv: []string{"a"}, Environment: []byte("\x00ptr_munge=\x00")}},
		{says: "cut off", data: count(3) + "/bin/a\x00a\x00b", bad: true},
		{says: "an impossible count", data: count(0xffffffff) + "/bin/a\x00a\x00", bad: true},
		{says: "nothing", data: "", bad: true},
	} {
		t.Run(world.says, func(t *testing.T) {
			got, ok := decodeArguments([]byte(world.data))
			if ok == world.bad {
				t.Fatalf("taken: %v", ok)
			}
			if ok && !reflect.DeepEqual(got, world.want) {
				t.Errorf("got %+v, want %+v", got, world.want)
			}
		})
	}
}

func TestTheOtherEnd(t *testing.T) {
	k := darwintest.NewKernel()
	read, write := k.Pipe()
	one, other := k.Pair()
	server := k.Spawn(nil, darwintest.Spec{FDs: map[int]*darwintest.File{0: read, 1: one}})
	client := k.Spawn(nil, darwintest.Spec{FDs: map[int]*darwintest.File{3: write, 4: other}})
	ends := func() (pipe, socket End) {
		p, err := PipeAt(k, server.PID, 0)
		s, err2 := SocketAt(k, server.PID, 1)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		return p.Other(), s.Other()
	}
	if pipe, socket := ends(); pipe != EndOpen || socket != EndOpen {
		t.Errorf("a client that lives: %v, %v", pipe, socket)
	}
	k.Shutdown(other)
	if _, socket := ends(); socket != EndOpen {
		t.Errorf("a client that sends no more and lives: %v", socket)
	}
	k.Exit(client)
	if pipe, socket := ends(); pipe != EndClosed || socket != EndClosed {
		t.Errorf("a client that is gone: %v, %v", pipe, socket)
	}
}

func TestWhatContradictsItselfIsUnknown(t *testing.T) {
	for _, world := range []struct {
		says   string
		pipe   Pipe
		socket Socket
	}{
		{"a pipe whose peer is being taken away", Pipe{Peer: 9, Status: pipeEnded}, Socket{}},
		{"a pipe without a peer that has not ended", Pipe{}, Socket{}},
		{"a pipe that drains", Pipe{Status: pipeEnded | pipeDraining}, Socket{}},
		{"a pipe that drains and has a peer", Pipe{Peer: 9, Status: pipeDraining}, Socket{}},
		{"a socket that was never connected", Pipe{}, Socket{kind: kindUnix, Family: familyUnix, Stream: true}},
		{"a socket that is severed and has a peer", Pipe{}, Socket{kind: kindUnix, Family: familyUnix, Stream: true, PeerBlock: 9, State: isDisconnected}},
		{"a datagram socket whose peer is gone", Pipe{}, Socket{kind: kindUnix, Family: familyUnix, State: isDisconnected}},
		{"a socket of another kind", Pipe{}, Socket{Family: familyUnix, Stream: true, State: isDisconnected}},
	} {
		if pipe, socket := world.pipe.Other(), world.socket.Other(); pipe != EndUnknown || socket != EndUnknown {
			t.Errorf("%s: %v, %v", world.says, pipe, socket)
		}
	}
}

func TestWhatGrowsWhileItIsReadIsReadWhole(t *testing.T) {
	k := darwintest.NewKernel()
	p := k.Spawn(nil, darwintest.Spec{Exe: "/opt/node", Argv: []string{"node", "a.js"}})
	grown := 0
	k.Before = func(call string) error {
		switch {
		case grown < 40 && strings.HasPrefix(call, "pidinfo 1 "):
			for range 20 {
				k.Give(p, darwintest.Null())
			}
			grown += 20
		case grown < 80 && call == "sysctl kern.proc.all":
			for range 20 {
				k.Spawn(nil, darwintest.Spec{})
			}
			grown += 20
		}
		return nil
	}
	if list, err := DescriptorsOf(k, p.PID); err != nil || len(list) != 40 {
		t.Errorf("%d descriptors, %v; want 40", len(list), err)
	}
	if table, err := Table(k); err != nil || len(table) != 42 {
		t.Errorf("%d processes, %v; want 42", len(table), err)
	}
}

func TestWhatGrowsForEverIsAnError(t *testing.T) {
	if list, err := DescriptorsOf(full{}, 200); !errors.Is(err, errGrowing) {
		t.Errorf("%d descriptors, %v", len(list), err)
	}
}

// full fills every buffer to its end.
type full struct{ Kernel }

func (full) PIDInfo(_, _ int, _ uint64, buffer []byte) (int, error) {
	return max(descriptorSize, len(buffer)/descriptorSize*descriptorSize), nil
}

func TestArgumentsThatGrowAreNotTakenInTheMiddle(t *testing.T) {
	k := darwintest.NewKernel()
	p := k.Spawn(nil, darwintest.Spec{Exe: "/bin/a", Argv: []string{"a"}})
	asked := 0
	k.Before = func(call string) error {
		if asked++; asked == 2 { // between the size and the bytes
			p.Argv = []string{"a", strings.Repeat("long ", 300)}
		}
		return nil
	}
	got, err := ArgumentsOf(k, p.PID)
	if err != nil || got.Exe != "/bin/a" || len(got.Argv) != 2 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestArgumentsNearTheLimitAreRead(t *testing.T) {
	k := darwintest.NewKernel()
	p := k.Spawn(nil, darwintest.Spec{Exe: "/bin/a", Argv: []string{"a", strings.Repeat("x", 1<<20-200)}})
	if got, err := ArgumentsOf(k, p.PID); err != nil || len(got.Argv) != 2 || len(got.Argv[1]) != 1<<20-200 {
		t.Errorf("%d arguments, %v", len(got.Argv), err)
	}
}

func TestADescriptorThatChangedIsNotClosed(t *testing.T) {
	k := darwintest.NewKernel()
	read, _ := k.Pipe()
	p := k.Spawn(nil, darwintest.Spec{FDs: map[int]*darwintest.File{0: read}})
	for name, read := range map[string]func() error{
		"a socket": func() error { _, err := SocketAt(k, p.PID, 0); return err },
		"a file":   func() error { _, err := VnodeAt(k, p.PID, 0); return err },
		"closed":   func() error { _, err := PipeAt(k, p.PID, 9); return err },
	} {
		if err := read(); !errors.Is(err, ErrOther) {
			t.Errorf("read as %s: %v", name, err)
		}
	}
}

func TestSignalsReachWhoWasMeantOrNobody(t *testing.T) {
	for _, world := range []struct {
		says   string
		change func(k *darwintest.Kernel, p *darwintest.Process)
		acts   string
		want   error
	}{
		{"a process that lives", nil, "TERM 200", nil},
		{"one on a Mac that has no signals by token", func(k *darwintest.Kernel, _ *darwintest.Process) { k.OldMac = true }, "TERM 200", nil},
		{"one that has executed another program", func(k *darwintest.Kernel, p *darwintest.Process) { k.Exec(p, "/bin/b", "b") }, "TERM 200", nil},
		{"one that is gone", func(k *darwintest.Kernel, p *darwintest.Process) { k.Exit(p) }, "", syscall.ESRCH},
		{"a stranger with its number", func(k *darwintest.Kernel, p *darwintest.Process) {
			k.Exit(p)
			k.Spawn(nil, darwintest.Spec{PID: 200})
		}, "", syscall.ESRCH},
		{"another user's", func(k *darwintest.Kernel, _ *darwintest.Process) { k.UID = 501 }, "", syscall.EPERM},
	} {
		t.Run(world.says, func(t *testing.T) {
			k := darwintest.NewKernel()
			p := k.Spawn(nil, darwintest.Spec{PID: 200, IgnoreTerm: true})
			if world.change != nil {
				world.change(k, p)
			}
			err := Signal(k, k, watched(k, p), int(syscall.SIGTERM))
			if !errors.Is(err, world.want) || err != nil && world.want == nil {
				t.Errorf("got %v, want %v", err, world.want)
			}
			if got := strings.Join(k.Acts(), ", "); got != world.acts {
				t.Errorf("signals %q, want %q", got, world.acts)
			}
		})
	}
}

// watched is a process with a watch that sees it end.
func watched(k *darwintest.Kernel, p *darwintest.Process) Target {
	return Target{PID: p.PID, Unique: p.Unique, Exited: func(time.Duration) bool { return !k.IsAlive(p) }}
}

func TestANumberThatChangesHandsBetweenLookAndSignalIsSpared(t *testing.T) {
	k := darwintest.NewKernel()
	p := k.Spawn(nil, darwintest.Spec{PID: 200})
	s := &changing{Kernel: k, before: func() {
		k.Exit(p)
		k.Spawn(nil, darwintest.Spec{PID: 200})
	}}
	if err := Signal(k, s, watched(k, p), int(syscall.SIGKILL)); !IsGone(err) {
		t.Errorf("got %v", err)
	}
	if acts := k.Acts(); len(acts) > 0 {
		t.Errorf("signals %v", acts)
	}
}

func TestAnExecBetweenLookAndSignalIsNoEnd(t *testing.T) {
	k := darwintest.NewKernel()
	p := k.Spawn(nil, darwintest.Spec{PID: 200})
	s := &changing{Kernel: k, before: func() { k.Exec(p, "/bin/b", "b") }}
	if err := Signal(k, s, watched(k, p), int(syscall.SIGKILL)); err != nil || len(k.Acts()) != 1 {
		t.Errorf("got %v, signals %v", err, k.Acts())
	}
}

// changing lets the world change right before the first signal.
type changing struct {
	*darwintest.Kernel
	before func()
}

func (c *changing) SignalToken(token []byte, signal int) (bool, error) {
	if c.before != nil {
		c.before()
		c.before = nil
	}
	return c.Kernel.SignalToken(token, signal)
}

// deaf takes no token, as a kernel would that names processes otherwise.
type deaf struct{ *darwintest.Kernel }

func (deaf) SignalToken([]byte, int) (bool, error) { return true, syscall.ESRCH }

func TestATokenThatIsNotTakenIsNoEnd(t *testing.T) {
	k := darwintest.NewKernel()
	p := k.Spawn(nil, darwintest.Spec{})
	if err := Signal(k, deaf{k}, watched(k, p), int(syscall.SIGTERM)); err == nil || IsGone(err) {
		t.Errorf("a process that lives and was not reached: %v", err)
	}
}

func TestWhatIsStoppedIsContinuedWithoutAnIdentity(t *testing.T) {
	for _, fault := range []error{syscall.EPERM, syscall.ESRCH, syscall.EINVAL} {
		k := darwintest.NewKernel()
		p := k.Spawn(nil, darwintest.Spec{})
		k.Before = func(string) error { return fault }
		if err := Signal(k, k, watched(k, p), int(syscall.SIGTERM)); err == nil || IsGone(err) {
			t.Errorf("%v: SIGTERM to a process that lives: %v", fault, err)
		}
		if err := Signal(k, k, watched(k, p), int(syscall.SIGCONT)); err != nil {
			t.Errorf("%v: SIGCONT: %v", fault, err)
		}
		if acts := strings.Join(k.Acts(), ", "); acts != fmt.Sprintf("CONT %d", p.PID) {
			t.Errorf("%v: signals %q", fault, acts)
		}
	}
}

func TestParseJobs(t *testing.T) {
	printed, err := os.ReadFile("testdata/print-gui.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := map[int]string{612: "com.apple.Finder", 4711: "homebrew.mxcl.reaperd", 5120: "application.com.anthropic.claudefordesktop.81234.81240"}
	got := map[int]string{}
	if err := parseJobs(string(printed), got); err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	if err := parseJobs("Bad request.\n", got); err == nil {
		t.Errorf("what is no list of jobs: got %v", got)
	}
}

func TestOneDomainOfAUserIsEnough(t *testing.T) {
	k := darwintest.NewKernel()
	p := k.Spawn(nil, darwintest.Spec{UID: 501})
	k.Job(p, "com.example.agent")
	for _, world := range []struct {
		says   string
		silent string
		failed bool
	}{
		{"both answer", "", false}, {"nobody is logged in at the screen", "user/", false}, {"neither answers", "/", true},
	} {
		jobs, err := Jobs(t.Context(), silent{k, world.silent}, false, []int{501})
		if failed := err != nil; failed != world.failed {
			t.Errorf("%s: %v, %v", world.says, jobs, err)
		}
	}
}

// silent has no domains but those whose names do not hold a text.
type silent struct {
	*darwintest.Kernel
	not string
}

func (s silent) Launchctl(ctx context.Context, arguments ...string) ([]byte, error) {
	if s.not != "" && strings.Contains(arguments[len(arguments)-1], s.not) {
		return nil, errors.New("exit status 125: Domain does not support specified action")
	}
	return s.Kernel.Launchctl(ctx, arguments...)
}

func FuzzDecoders(f *testing.F) {
	lines, err := darwintest.Headers()
	if err != nil {
		f.Fatal(err)
	}
	encoder := darwintest.NewEncoder(lines)
	for _, one := range fixtures(encoder) {
		f.Add(encoder.Struct(one.of, one.fields))
	}
	f.Add(tcpList(encoder, sizesOf(lines)))
	f.Add([]byte("\x02\x00\x00\x00/bin/a\x00\x00a\x00b\x00HOME=/\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		decodeEverything(data)
		if arguments, ok := decodeArguments(data); ok && len(arguments.Argv) > len(data) {
			t.Errorf("%d arguments in %d bytes", len(arguments.Argv), len(data))
		}
		if all, err := decodeTCPList(data); err == nil && len(all) > len(data)/listPCBSize+1 {
			t.Errorf("%d sockets in %d bytes", len(all), len(data))
		}
		if rows, err := decodeTable(data); err == nil && len(rows) > len(data)/kinfoSize {
			t.Errorf("%d processes in %d bytes", len(rows), len(data))
		}
	})
}

// decodeEverything reads the same bytes as each struct, cut to its size or padded.
func decodeEverything(data []byte) {
	as := func(size int) []byte { return append(bytes.Clone(data), make([]byte, size)...)[:size] }
	decodeUnique(as(uniqueSize))
	decodeBSDUnique(as(bsdSize))
	decodeTask(as(taskSize))
	decodeVnode(as(vnodeSize))
	_ = decodePipe(as(pipeSize)).Other()
	_ = decodeSocket(as(socketSize)).Other()
	decodeDescriptors(data)
}

func FuzzParseJobs(f *testing.F) {
	printed, err := os.ReadFile("testdata/print-gui.txt")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(printed))
	f.Fuzz(func(t *testing.T, printed string) {
		jobs := map[int]string{}
		err := parseJobs(printed, jobs)
		for pid := range jobs {
			if pid <= 0 || err != nil {
				t.Errorf("process %d, %v", pid, err)
			}
		}
	})
}

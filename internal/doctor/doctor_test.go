package doctor

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

func TestDoctorPrintsNoEscapeSequences(t *testing.T) {
	var out strings.Builder
	if err := Write(&out, []Symptom{
		{"policy", stateFault, "p.yaml:2: mode \"\x1b[2J\"\np.yaml:3: what?", "reaperd policy check"},
		{"configuration", stateNote, "1 configured servers in /home/dev/\x1b]0;x\a/.mcp.json", "\x1b[31mread it"},
		{"docker \x1b[8m", stateOK, "ok", ""},
	}, View{Width: 200}); err != nil {
		t.Fatal(err)
	}
	const want = `1 thing is wrong: policy. Worth knowing: configuration.

FAULT  policy: p.yaml:2: mode "?[2J"
       p.yaml:3: what?
       remedy: reaperd policy check
note   configuration: 1 configured servers in /home/dev/?]0;x?/.mcp.json
       remedy: ?[31mread it
ok     docker ?[8m: ok
`
	if out.String() != want {
		t.Errorf("got\n%q, want\n%q", out.String(), want)
	}
}

func TestDoctorFitsTheTerminalAndWritesTheReadersHomeAsATilde(t *testing.T) {
	var out strings.Builder
	if err := Write(&out, []Symptom{
		{"policy", stateFault, "/srv/dev/p.yaml:2: mode?\n/srv/dev/p.yaml:3: what?", ""},
		{"docker", stateNote, "looked at /srv/dev/d.sock, /srv/developer/d.sock", ""},
	}, View{Width: 32, Home: "/srv/dev"}); err != nil {
		t.Fatal(err)
	}
	const want = `1 thing is wrong: policy. Worth
knowing: docker.

FAULT  policy: ~/p.yaml:2: mode?
       ~/p.yaml:3: what?
note   docker: looked at
       ~/d.sock,
       /srv/developer/d.sock
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestAPolicyThatIsNotReadForItsNameIsNoted(t *testing.T) {
	got := misnamedSymptoms("/home/dev/.config/reaperd/policies.yml")
	const text, remedy = "/home/dev/.config/reaperd/policies.yml is not read: its name must be policies.yaml", "mv /home/dev/.config/reaperd/policies.yml /home/dev/.config/reaperd/policies.yaml"
	if want := (Symptom{"policy", stateNote, text, remedy}); len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := misnamedSymptoms(""); got != nil {
		t.Errorf("no such file: %q", got)
	}
}

func TestDoctorKnowsWhatBringsTheRestOfTheProcessTable(t *testing.T) {
	const (
		systemd     = inventory.GapServiceManager
		descriptors = inventory.GapDescriptors
		root        = "run as root for the whole table"
		mount       = "in compose: volumes: [/run/systemd:/run/systemd:ro]   in Kubernetes: a hostPath volume at /run/systemd"
		rights      = "in compose: cap_add: [SYS_PTRACE, DAC_READ_SEARCH] and security_opt: [apparmor:unconfined]   in Kubernetes: securityContext.capabilities.add: [SYS_PTRACE, DAC_READ_SEARCH]"
	)
	for _, row := range []struct {
		name string
		uid  int
		gaps []inventory.Gap
		want string
	}{
		{"a sidecar without systemd's folder", 0, []inventory.Gap{systemd}, mount},
		{"a sidecar without rights", 0, []inventory.Gap{descriptors}, rights},
		{"a sidecar without either", 0, []inventory.Gap{systemd, descriptors}, rights + "   " + mount},
		{"root, and a manager that does not answer", 0, []inventory.Gap{inventory.GapServices}, ""},
		{"a normal user", 1000, []inventory.Gap{descriptors}, root},
		{"a normal user in a container", 1000, []inventory.Gap{systemd, descriptors}, root + "   " + mount},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := partialRemedy(inContainer, row.uid, row.gaps); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func TestTheRemedyForAnEngineIsThatForItsFault(t *testing.T) {
	denied := inventory.Source{Name: inventory.SourceDocker, Endpoint: "unix:///d.sock", Status: inventory.StatusError,
		Reason: "permission denied on /d.sock; sudo usermod -aG docker ann, then log in again", Remedy: "sudo usermod -aG docker ann, then log in again"}
	dead := inventory.Source{Name: inventory.SourceDocker, Endpoint: "unix:///d.sock", Status: inventory.StatusAbsent, Reason: "the socket /d.sock is there and nothing listens on it"}
	denied.Gaps = []inventory.Gap{inventory.GapDenied}
	context := inventory.Source{Name: inventory.SourceDocker, Status: inventory.StatusError, Reason: `docker context "x": no such context`}
	table := inventory.Source{Name: inventory.SourceProcesses, Status: inventory.StatusError, Reason: "open /proc: permission denied"}
	for _, row := range []struct {
		world  string
		source inventory.Source
		hosted bool // the host's daemon looks after this user
		want   Symptom
	}{
		{"its socket is not for this user, but the host's daemon reads it", denied, true, Symptom{"docker unix:///d.sock", stateNote,
			"this user may not ask it; this host's daemon sees all: sudo reaperd doctor shows it", ""}},
		{"the host's daemon does not help against a wrong context", context, true, Symptom{"docker", stateFault, `docker context "x": no such context`, "point DOCKER_HOST or the docker context at an engine that answers"}},
		{"its socket is not for this user", denied, false, Symptom{"docker unix:///d.sock", stateFault, "permission denied on /d.sock", "sudo usermod -aG docker ann, then log in again"}},
		{"nothing says which engine", context, false, Symptom{"docker", stateFault, `docker context "x": no such context`, "point DOCKER_HOST or the docker context at an engine that answers"}},
		{"the engine has ended, and its socket is there", dead, false, Symptom{"docker unix:///d.sock", stateNote, "the socket /d.sock is there and nothing listens on it: containers are not judged", "start the engine, or set DOCKER_HOST where it is elsewhere"}},
		{"the table is read", inventory.Source{Name: inventory.SourceProcesses, Status: inventory.StatusOK}, false, Symptom{"processes", stateOK, "ok, 12 of them", ""}},
		{"no engine at all", table, false, Symptom{"processes", stateFault, "open /proc: permission denied", ""}},
	} {
		if got := sourceSymptom(row.source, 12, row.hosted); got != row.want {
			t.Errorf("%s: %+v", row.world, got)
		}
	}
}

func TestDoctorRehearsesTheSignals(t *testing.T) {
	const many = 2*rehearsedTogether + 1
	for _, row := range []struct {
		name        string
		mode        policy.Mode
		ids         int
		refuses     error // the error for the last of the processes
		state, says string
		remedy      string
	}{
		{"nothing to ask about", policy.ModeEnforce, 0, nil, stateNote, "runs here that is yours to stop", ""},
		{"all may be signalled", policy.ModeEnforce, 3, nil, stateOK, "permitted to 3 processes of ", ""},
		{"a capability is missing", policy.ModeEnforce, 3, syscall.EPERM, stateFault, "to 1 of 3 processes", "cap_add: [KILL]"},
		{"a profile stands in the way", policy.ModeEnforce, many, syscall.EACCES, stateFault, "to 1 of 513 processes", "apparmor:unconfined"},
		{"no rights, and none are needed", policy.ModeReport, 3, syscall.EPERM, stateNote, "to 1 of 3 processes", "cap_add: [KILL]"},
		{"what rights do not help", policy.ModeEnforce, 1, errors.New("no process table"), stateFault, "no process table", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			ids := make([]inventory.ID, row.ids)
			for i := range ids {
				ids[i] = inventory.ID{PID: 100 + i, Start: 1}
			}
			got := signalSymptom(inContainer, row.mode, ids, func(some []inventory.ID) []error {
				problems := make([]error, len(some))
				if last := len(some) - 1; row.refuses != nil && some[last] == ids[row.ids-1] {
					problems[last] = fmt.Errorf("signal process %d: %w", some[last].PID, row.refuses)
				}
				return problems
			})
			if got.State != row.state || !strings.Contains(got.Text, row.says) || !strings.Contains(got.Remedy, row.remedy) || (row.remedy == "") != (got.Remedy == "") {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestDoctorAsksOnlyForWhatWouldBeSignalled(t *testing.T) {
	process := func(pid int) *inventory.Process { return &inventory.Process{PID: pid, Start: 1} }
	got := signalled(&graph.Graph{Targets: []*graph.Target{
		{Members: []*inventory.Process{process(10), process(11)}},
		{Members: []*inventory.Process{process(20)}, Vetoes: []graph.Veto{{Guard: graph.GuardForeign}}},
		{Members: []*inventory.Process{process(30)}, Vetoes: []graph.Veto{{Guard: graph.GuardPinned}}},
		{Container: &inventory.Container{}},
	}})
	if want := []inventory.ID{{PID: 10, Start: 1}, {PID: 11, Start: 1}, {PID: 30, Start: 1}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestTheMachineIsDescribedAsFarAsItIsKnown(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for want, h := range map[string]inventory.Host{
		"linux": {OS: "linux"},
		"linux 6.1.0-41-amd64, a guest of kvm, 16 GB of memory, booted 2d 3h ago": {
			OS: "linux", Kernel: "6.1.0-41-amd64", Virtualization: "kvm", MemoryBytes: 16_000_000_000, BootedAt: now.Add(-51 * time.Hour)},
		"darwin 24.6.0, booted 5m ago": {OS: "darwin", Kernel: "24.6.0", BootedAt: now.Add(-5 * time.Minute)},
	} {
		if got := machineSymptom(h, now); got.Text != want || got.State != stateOK {
			t.Errorf("got %q (%s), want %q", got.Text, got.State, want)
		}
	}
}

func TestASelfTestNamesWhatIsWrong(t *testing.T) {
	done := []Symptom{{"self-test", stateOK, "on linux", ""}, {"self-test: stdin", stateOK, "a pipe", ""}, {"self-test: end", stateOK, "it ended", ""}}
	if got, want := conclusion(done), "Nothing is wrong here."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	done[1].State = stateFault
	if got, want := conclusion(done), "1 thing is wrong: self-test: stdin."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

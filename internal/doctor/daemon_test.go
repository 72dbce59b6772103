package doctor

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/install"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

func engine(status inventory.Status, endpoints ...string) (sources []inventory.Source) {
	for _, endpoint := range endpoints {
		sources = append(sources, inventory.Source{Name: inventory.SourceDocker, Endpoint: endpoint, Status: status})
	}
	return sources
}

func TestDoctorComparesTheDaemonWithTheTool(t *testing.T) {
	shipped := policyfile.Shipped()
	read := engine(inventory.StatusOK, "unix:///d.sock")
	for _, row := range []struct {
		world string
		make  func(is *account.Account)
		state string
		says  string
	}{
		{"both are alike", func(*account.Account) {}, stateOK, "process 4121, up 3h, mode enforce, by the policy above"},
		{"it is paused for a reason", func(is *account.Account) { is.Decider.Rests, is.Decider.PauseReason = account.Paused, "a move" }, stateNote, "process 4121, up 3h, mode enforce: it is paused: a move: nothing is reaped"},
		{"its policy only reports", func(is *account.Account) { is.Mode, is.Decider.Rests = policy.ModeReport, account.OnlyReports }, stateNote, "process 4121, up 3h, mode report: it stops nothing"},
		{"the tool was upgraded", func(is *account.Account) { is.Decider.Daemon.Build.Version = "1.2.2" }, stateNote, "its version is 1.2.2, here 1.2.3"},
		{"its policy is another", func(is *account.Account) {
			is.Policy.Source, is.Policy.SHA256 = "/etc/reaperd/policies.yaml", "0123456789abcdef"
		}, stateNote, "it goes by a policy of its own, /etc/reaperd/policies.yaml (0123456789ab), not by that above"},
		{"its policy's file was changed a moment ago", func(is *account.Account) { is.Policy.SHA256 = "0123456789abcdef" }, stateNote, "mode enforce: its policy's file has changed since it read that"},
		{"its environment names no engine", func(is *account.Account) { is.Sources = engine(inventory.StatusAbsent, "") }, stateNote, "its engine is none, here unix:///d.sock"},
		{"the engine hangs for it", func(is *account.Account) { is.Sources = engine(inventory.StatusError, "unix:///d.sock") }, stateOK, "process 4121"},
		{"it reads another engine", func(is *account.Account) {
			is.Sources = engine(inventory.StatusOK, "unix:///run/user/1000/docker.sock")
		}, stateNote, "its engine is unix:///run/user/1000/docker.sock, here unix:///d.sock"},
	} {
		is := &account.Account{Mode: shipped.Mode, Sources: read, Policy: account.Policy{Source: policy.Builtin, SHA256: shipped.Hash}}
		is.Decider = account.Decider{Kind: account.ByDaemon, PID: 4121, StartedAt: time.Now().Add(-3 * time.Hour), Daemon: &account.Daemon{Build: account.Build{Version: "1.2.3"}}}
		row.make(is)
		got := decider{is: is}.running(own{version: "1.2.3", policy: shipped, sources: read})
		if len(got) != 1 || got[0].State != row.state || !strings.Contains(got[0].Text, row.says) || (got[0].Remedy == "") != (row.state == stateOK) {
			t.Errorf("%s: %+v", row.world, got)
		}
		hosted := decider{is: is, host: true}.running(own{version: "1.2.3", policy: shipped, sources: read})
		if len(hosted) != 1 || !strings.HasPrefix(hosted[0].Text, "this host's (process 4121") || strings.Contains(hosted[0].Text, "policy above") || strings.Contains(hosted[0].Text, "here ") {
			t.Errorf("%s, and a user asks root's: %+v", row.world, hosted)
		}
	}
}

// TestDoctorPassesOnWhatADaemonSaysIsNotWell, as a fault where it acts on nothing for it.
func TestDoctorPassesOnWhatADaemonSaysIsNotWell(t *testing.T) {
	for state, of := range map[string]account.Daemon{stateNote: {}, stateFault: {NotReady: "nothing is acted on: the journal takes no record"}} {
		is := &account.Account{Notes: []account.Note{{Text: "the disk is full", Remedy: "make room"}, {Text: "not well"}}, Decider: account.Decider{Daemon: &of}}
		got := decider{is: is}.running(own{})
		if len(got) != 3 || got[1] != (Symptom{"daemon", state, "the disk is full", "make room"}) || got[2].Remedy == "" {
			t.Errorf("%+v", got)
		}
	}
}

func TestDoctorTellsOfADaemonThatDoesNotAnswer(t *testing.T) {
	dir, now := state.Dir(t.TempDir()), time.Now()
	none := decider{err: serve.ErrNotRunning}
	down := install.Installed{File: "/etc/systemd/system/reaperd.service", Why: "systemctl status reaperd", Start: "systemctl start reaperd"}
	want := Symptom{"daemon", stateFault, "/etc/systemd/system/reaperd.service is there, and no daemon runs: nothing is reaped by itself", "systemctl status reaperd says why   systemctl start reaperd starts it again"}
	if got := none.absent(dir, install.Starting{Service: down}, now); got != want {
		t.Errorf("its service is down: %+v", got)
	}
	if got := none.absent(dir, install.Starting{Lasting: "reaperd install"}, now); got.State != stateNote || !strings.Contains(got.Remedy, "reaperd install") {
		t.Errorf("none runs: %+v", got)
	}
	if err := dir.Pause(now, state.Pause{Reason: "a move"}); err != nil {
		t.Fatal(err)
	}
	if got := none.absent(dir, install.Starting{}, now); !strings.HasSuffix(got.Text, "; it is paused: a move: nor by a sweep, nor by the next daemon") || !strings.HasPrefix(got.Remedy, "reaperd resume") {
		t.Errorf("none runs, and it is paused: %+v", got)
	}
	hangs := &serve.HangsError{Peer: serve.Peer{UID: os.Geteuid(), PID: os.Getpid()}}
	if got := (decider{err: hangs}).absent(dir, install.Starting{}, now); got.State != stateFault || got.Text != hangs.Error() || got.Remedy != hangs.Remedy() {
		t.Errorf("it hangs: %+v", got)
	}
	if got := (decider{err: errors.New("another user answers there")}).absent(dir, install.Starting{}, now); got.State != stateFault {
		t.Errorf("a stranger: %+v", got)
	}
}

// TestDoctorTellsOfDamagedPinsWithoutADaemon: a sweep keeps everything then.
func TestDoctorTellsOfDamagedPinsWithoutADaemon(t *testing.T) {
	dir := state.Dir(t.TempDir())
	none := decider{err: serve.ErrNotRunning}
	if got := none.symptoms(dir, own{}); len(got) != 1 || got[0].Check != "daemon" {
		t.Errorf("nothing is wrong: %+v", got)
	}
	if err := os.WriteFile(dir.PinsPath(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := none.symptoms(dir, own{})
	if len(got) != 2 || got[0].Check != "state" || got[0].State != stateFault || !strings.Contains(got[0].Text, dir.PinsPath()) || got[1].Check != "daemon" {
		t.Errorf("damaged: %+v", got)
	}
}

// TestDoctorChecksTheSocket: who may not use it learns why.
func TestDoctorChecksTheSocket(t *testing.T) {
	folder, err := os.MkdirTemp("", "d")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	dir := state.Dir(folder)
	listener, err := net.Listen("unix", filepath.Join(folder, "reaperd.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for mode, want := range map[os.FileMode]bool{0o600: false, 0o666: true, 0o000: true} {
		if err := os.Chmod(dir.Socket(), mode); err != nil {
			t.Fatal(err)
		}
		if got := socketSymptoms(dir); (len(got) == 1) != want || want && (got[0].Check != "socket" || got[0].State != stateFault || got[0].Remedy == "") {
			t.Errorf("mode %v: %+v", mode, got)
		}
	}
}

func TestAnEngineThatHangsNowIsNoDifferenceFromTheDaemon(t *testing.T) {
	is := &account.Account{Sources: engine(inventory.StatusOK, "unix:///d.sock"), Decider: account.Decider{Daemon: &account.Daemon{Build: account.Build{Version: "1.2.3"}}}}
	hangs := engine(inventory.StatusError, "unix:///d.sock", "unix:///a-link-to-it.sock") // while it hangs, both count
	if differs := (decider{is: is}).differences(own{version: "1.2.3", sources: hangs}); len(differs) > 0 {
		t.Errorf("differs: %q", differs)
	}
	if differs := (decider{is: is}).differences(own{version: "1.2.3"}); len(differs) != 1 {
		t.Errorf("the tool's environment names no engine: differs %q", differs)
	}
}

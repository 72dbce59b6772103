package doctor

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/install"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/status"
)

func TestDoctorComparesTheDaemonWithTheTool(t *testing.T) {
	shipped := policyfile.Shipped()
	engine := []inventory.Source{{Name: inventory.SourceDocker, Endpoint: "unix:///d.sock", Status: inventory.StatusOK}}
	well := serve.State{
		PID: 4121, StartedAt: time.Now().Add(-3 * time.Hour), Ready: true, Mode: shipped.Mode, Sources: engine, LastSweep: &serve.Sweep{},
		Build: serve.Build{Version: "1.2.3"}, Policy: serve.PolicyState{Source: policy.Builtin, SHA256: shipped.Hash},
	}
	const ended = "root's daemon has ended"
	for _, row := range []struct {
		world  string
		make   func(is *serve.State)
		faults []string
		state  string
		says   string
	}{
		{"both are alike", func(*serve.State) {}, nil, stateOK, "process 4121, up 3h, mode enforce, by the policy above"},
		{"it is paused", func(is *serve.State) { is.Paused = true }, nil, stateNote, "process 4121, up 3h, mode enforce: it is paused: nothing is reaped"},
		{"its policy only reports", func(is *serve.State) { is.Mode = policy.ModeReport }, nil, stateNote, "process 4121, up 3h, mode report: it stops nothing"},
		{"the tool was upgraded", func(is *serve.State) { is.Build.Version = "1.2.2" }, nil, stateNote, "its version is 1.2.2, here 1.2.3"},
		{"its policy is another", func(is *serve.State) {
			is.Policy.Source, is.Policy.SHA256 = "/etc/reaperd/policies.yaml", "0123456789abcdef"
		}, nil, stateNote, "process 4121, up 3h, mode enforce: it goes by a policy of its own, /etc/reaperd/policies.yaml (0123456789ab), not by that above"},
		{"it was started with --mode enforce, as the policy says", func(is *serve.State) { is.ModeFrom = "--mode" }, nil, stateOK, "process 4121, up 3h, mode enforce, by the policy above"},
		{"its policy's file was changed a moment ago", func(is *serve.State) { is.Policy.SHA256 = "0123456789abcdef" }, nil, stateNote, "mode enforce: its policy's file has changed since it read that"},
		{"it was started with --mode report", func(is *serve.State) { is.Mode, is.ModeFrom = policy.ModeReport, "--mode" }, nil, stateNote, "process 4121, up 3h, mode report: by --mode it stops nothing"},
		{"root's daemon runs too", func(is *serve.State) { is.Mode, is.ModeFrom = policy.ModeReport, policy.BesideSystem }, nil, stateNote,
			"mode report: it only reports, because root's daemon runs and looks after every user's servers"},
		{ended, func(is *serve.State) {
			is.Mode, is.ModeFrom, is.Policy.FileMode = policy.ModeReport, policy.BesideSystem, policy.ModeEnforce
		}, nil, stateNote,
			"mode report: it only reported because root's daemon ran; that has ended, and it goes by its policy again, mode enforce, with its next look"},
		{"it is paused for a reason", func(is *serve.State) { is.Paused, is.PauseReason = true, "a move" }, nil, stateNote, "it is paused: a move: nothing is reaped"},
		{"its environment names no engine", func(is *serve.State) {
			is.Sources = []inventory.Source{{Name: inventory.SourceDocker, Status: inventory.StatusAbsent}}
		}, nil, stateNote, "its engine is none, here unix:///d.sock"},
		{"the engine did not answer at its last sweep", func(is *serve.State) {
			is.Sources = []inventory.Source{{Name: inventory.SourceDocker, Endpoint: "unix:///d.sock", Status: inventory.StatusError}}
		}, nil, stateOK, "process 4121"},
		{"its engine was stopped", func(is *serve.State) {
			is.Containers = []serve.SeenContainer{{ID: "a"}, {ID: "b", UnseenSince: time.Now()}}
		}, nil, stateNote, "mode enforce: 1 container that it saw before cannot be seen now, and stays as it is"},
		{"it reads another engine", func(is *serve.State) {
			is.Sources = []inventory.Source{{Name: inventory.SourceDocker, Endpoint: "unix:///run/user/1000/docker.sock", Status: inventory.StatusOK}}
		}, nil, stateNote, "its engine is unix:///run/user/1000/docker.sock, here unix:///d.sock"},
		{"its policy's file got faults", func(is *serve.State) { is.Policy.Faults = []string{"policies.yaml:3: unknown key"} }, nil, stateNote, "healthy, but a policy is refused"},
		{"its disk got full", func(is *serve.State) { is.NoRoomIn = "/var/lib/reaperd" }, nil, stateNote, "healthy, but its disk is full"},
		{"its journal takes nothing", func(is *serve.State) {
			is.Ready, is.NotReady = false, "nothing is acted on: the journal takes no record"
		}, nil, stateFault, "NOT WELL: nothing is acted on"},
		{"what is pinned is damaged", func(*serve.State) {}, []string{"pins.json: it is damaged"}, stateFault, "NOT WELL"},
	} {
		is := well
		row.make(&is)
		got := running(&is, row.faults, own{version: "1.2.3", policy: shipped, sources: engine, hasRoots: row.world != ended})
		if got.State != row.state || !strings.Contains(got.Text, row.says) || (got.Remedy == "") != (row.state == stateOK) {
			t.Errorf("%s: %+v", row.world, got)
		}
	}
}

// TestADaemonBesideRootsHasRemediesToType, one for each choice.
func TestADaemonBesideRootsHasRemediesToType(t *testing.T) {
	byHand := install.Running{End: "kill 659 ends it", Enforce: "kill 659 && sleep 2 && reaperd run --mode enforce"}
	if got := strings.Join(besideRemedies(byHand), "\n"); got != "kill 659 ends it\nkill 659 && sleep 2 && reaperd run --mode enforce has it act too" {
		t.Errorf("a person has started it: %s", got)
	}
	if got := besideRemedies(install.Running{End: "reaperd uninstall stops it"}); len(got) != 1 {
		t.Errorf("launchd has started it, and nothing short has it act: %q", got)
	}
}

// TestAnEngineIsToBeStartedOnlyWhileItIsDown: the daemon's last look may be older than the engine's return.
func TestAnEngineIsToBeStartedOnlyWhileItIsDown(t *testing.T) {
	is := &serve.State{LastSweep: &serve.Sweep{}, Containers: []serve.SeenContainer{{ID: "b", UnseenSince: time.Now()}}}
	engine := func(status inventory.Status) []inventory.Source {
		return []inventory.Source{{Name: inventory.SourceDocker, Endpoint: "unix:///d.sock", Status: status}}
	}
	for _, row := range []struct {
		world     string
		its, ours []inventory.Source
		remedy    string
	}{
		{"it is down", engine(inventory.StatusError), engine(inventory.StatusError), "start the container engine again"},
		{"it is back since the daemon's last look", engine(inventory.StatusAbsent), engine(inventory.StatusOK), "ask again: the engine answers by now, and the daemon's next look reads it"},
		{"it is back, and its socket too", nil, engine(inventory.StatusOK), "ask again: the engine answers by now, and the daemon's next look reads it"},
		{"another one is down", engine(inventory.StatusOK), engine(inventory.StatusOK), "start the container engine again"},
	} {
		is.Sources = row.its
		tool := own{sources: row.ours}
		if _, remedy := unseenContainers(is, tool); remedy != row.remedy {
			t.Errorf("%s: %s", row.world, remedy)
		}
		if differs := differences(is, tool); len(differs) > 1 { // the version is none
			t.Errorf("%s: differs %q", row.world, differs)
		}
	}
}

// TestAnEngineThatHasGoneIsNoDifference: the daemon's last look may be older than that, and a new start of it
// changes nothing.
func TestAnEngineThatHasGoneIsNoDifference(t *testing.T) {
	shipped := policyfile.Shipped()
	is := &serve.State{
		PID: 4121, StartedAt: time.Now(), Ready: true, Mode: shipped.Mode, LastSweep: &serve.Sweep{At: time.Now().Add(-26 * time.Second)},
		Build: serve.Build{Version: "1.2.3"}, Policy: serve.PolicyState{Source: policy.Builtin, SHA256: shipped.Hash},
		Sources: []inventory.Source{{Name: inventory.SourceDocker, Endpoint: "unix:///d.sock", Status: inventory.StatusOK}},
	}
	for unserved, want := range map[bool]string{
		true:  "its engine unix:///d.sock answered at its last look, 26s ago, and nothing listens there now",
		false: "it differs from this tool: its engine is unix:///d.sock, here none",
	} {
		tool := own{version: "1.2.3", policy: shipped, sources: []inventory.Source{{Name: inventory.SourceDocker, Status: inventory.StatusAbsent}}}
		tool.unserved = func(string) bool { return unserved }
		if got := running(is, nil, tool); got.State != stateNote || !strings.HasSuffix(got.Text, "mode enforce: "+want) || (got.Remedy == differRemedy) == unserved {
			t.Errorf("nobody serves it: %v: %+v", unserved, got)
		}
	}
}

func TestDoctorTellsOfADaemonThatDoesNotAnswer(t *testing.T) {
	dir := state.Dir(t.TempDir())
	down := install.Installed{File: "/etc/systemd/system/reaperd.service", Why: "systemctl status reaperd", Start: "systemctl start reaperd"}
	want := Symptom{"daemon", stateFault, "/etc/systemd/system/reaperd.service is there, and no daemon runs: nothing is reaped by itself", "systemctl status reaperd says why   systemctl start reaperd starts it again"}
	if got := (absence{dir: dir, start: install.Starting{Service: down}}).symptom(status.Unanswered(dir, serve.ErrNotRunning), time.Now()); got != want {
		t.Errorf("its service is down: %+v", got)
	}
	if got := (absence{dir: dir, start: install.Starting{Lasting: "reaperd install"}}).symptom(status.Unanswered(dir, serve.ErrNotRunning), time.Now()); got.State == stateFault || got.Check != "daemon" {
		t.Errorf("none runs: %+v", got)
	}
	if err := dir.Pause(time.Now(), state.Pause{Reason: "a move"}); err != nil {
		t.Fatal(err)
	}
	if got := (absence{dir: dir, start: install.Starting{Lasting: "reaperd install"}}).symptom(serve.ErrNotRunning, time.Now()); !strings.HasSuffix(got.Text, "; it is paused: a move: nor by a sweep, nor by the next daemon") || !strings.HasPrefix(got.Remedy, "reaperd resume ends the pause") {
		t.Errorf("none runs, and it is paused: %+v", got)
	}
	held, err := dir.Lock(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if got := (absence{dir: dir, start: install.Starting{Lasting: "reaperd install"}}).symptom(status.Unanswered(dir, serve.ErrSilent), time.Now()); got.State != stateFault || !strings.Contains(got.Remedy, fmt.Sprintf("kill -KILL %d", os.Getpid())) || strings.Contains(got.Remedy, betweenRemedies) {
		t.Errorf("it hangs: %+v", got)
	}
}

// TestDoctorTellsOfDamagedPinsWithoutADaemon: a sweep by hand keeps everything then.
func TestDoctorTellsOfDamagedPinsWithoutADaemon(t *testing.T) {
	dir := state.Dir(t.TempDir())
	absent := status.Unanswered(dir, serve.ErrNotRunning)
	if got := silence(t.Context(), dir, absent, nil); len(got) != 1 || got[0].Check != "daemon" {
		t.Errorf("nothing is wrong: %+v", got)
	}
	if err := os.WriteFile(dir.PinsPath(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := silence(t.Context(), dir, absent, nil)
	if len(got) != 2 || got[0].Check != "state" || got[0].State != stateFault || !strings.Contains(got[0].Text, dir.PinsPath()) || got[1].Check != "daemon" {
		t.Errorf("damaged: %+v", got)
	}
}

func TestAnEngineThatHangsNowIsNoDifferenceFromTheDaemon(t *testing.T) {
	read := []inventory.Source{{Name: inventory.SourceDocker, Endpoint: "unix:///d.sock", Status: inventory.StatusOK}}
	hangs := []inventory.Source{
		{Name: inventory.SourceDocker, Endpoint: "unix:///d.sock", Status: inventory.StatusError},
		{Name: inventory.SourceDocker, Endpoint: "unix:///a-link-to-it.sock", Status: inventory.StatusError}, // while it hangs, both count
	}
	is := &serve.State{Sources: read, LastSweep: &serve.Sweep{}, Build: serve.Build{Version: "1.2.3"}}
	if differs := differences(is, own{version: "1.2.3", sources: hangs}); len(differs) > 0 {
		t.Errorf("differs: %q", differs)
	}
	if differs := differences(is, own{version: "1.2.3"}); len(differs) != 1 {
		t.Errorf("the tool's environment names no engine: differs %q", differs)
	}
}

// TestDoctorTellsHowRootsDaemonIs to a user whom it does not answer: by what its port tells everybody.
func TestDoctorTellsHowRootsDaemonIs(t *testing.T) {
	reads := map[string]bool{inventory.SourceDocker: true, inventory.SourceProcesses: true}
	for _, row := range []struct {
		world          string
		told           *serve.Glance
		state          string
		daemon, docker string
	}{
		{"it is well", &serve.Glance{Looked: true, Reads: reads}, stateOK, "", "root's daemon does, and looks after this user's containers too"},
		{"it is paused", &serve.Glance{Looked: true, Paused: true, Reads: reads}, stateNote, ", but is paused: it reaps nothing", "root's daemon does"},
		{"it is paused, and only reports", &serve.Glance{Looked: true, Paused: true, Reports: true, Reads: reads}, stateNote, ", but is paused, and only reports (mode report): it stops nothing", "root's daemon does"},
		{"it only reports", &serve.Glance{Looked: true, Reports: true, Reads: reads}, stateNote, ", but only reports (mode report): it stops nothing", "root's daemon does"},
		{"it acts on nothing", &serve.Glance{NotReady: "the policy has 1 fault"}, stateFault, ", but is NOT WELL: the policy has 1 fault", "and root's daemon has not looked yet"},
		{"the engine does not answer it", &serve.Glance{Looked: true, Reads: map[string]bool{inventory.SourceProcesses: true, inventory.SourceDocker: false}}, stateOK, "", "root's daemon could not read it either"},
		{"it has no port", nil, stateNote, "; whether it stops anything now cannot be told here", "whether root's daemon can is not told here"},
	} {
		root := &roots{pid: 251, told: row.told}
		got := absence{root: root}.symptom(serve.ErrNotRunning, time.Now())
		text, remedy := root.engineText()
		if got.State != row.state || got.Text != "that of root (process 251) looks after every user's servers"+row.daemon || !strings.Contains(text, row.docker) || !strings.Contains(text+remedy, "sudo reaperd ") || (got.Remedy == "") != (row.state == stateOK) {
			t.Errorf("%s: %+v; %s (%s)", row.world, got, text, remedy)
		}
		if got := root.beside(); got.State != row.state || got.Text != "process 251 looks after this user's servers too"+row.daemon {
			t.Errorf("%s, and one of the user's own runs too: %+v", row.world, got)
		}
	}
}

// TestDoctorTellsRootOfUsersDaemons: they look after what is theirs, whether or not root has one.
func TestDoctorTellsRootOfUsersDaemons(t *testing.T) {
	devs := beside.Daemons{{User: "dev", UID: 1000, PID: 8011}}
	alone := absence{dir: "/var/lib/reaperd", users: devs, start: install.Starting{Lasting: "reaperd install"}}
	want := Symptom{"daemon", stateNote, "none runs with /var/lib/reaperd, and nothing of root's is reaped by itself; dev's daemon (process 8011) looks after dev's servers",
		"su dev -c 'reaperd status' shows it" + betweenRemedies + toStart(alone.start)}
	if got := alone.symptom(serve.ErrNotRunning, time.Now()); got != want {
		t.Errorf("got %+v", got)
	}
	alone.dir = state.Dir(t.TempDir())
	if err := alone.dir.Pause(time.Now(), state.Pause{}); err != nil {
		t.Fatal(err)
	}
	got := alone.symptom(serve.ErrNotRunning, time.Now())
	if !strings.HasSuffix(got.Text, "; your own sweeps are paused, and dev's daemon does not go by it (paused)") || !strings.HasPrefix(got.Remedy, "reaperd resume ends the pause") {
		t.Errorf("paused: %+v", got)
	}
}

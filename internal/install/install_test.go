package install

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/wrap"
)

// madeMachine is a machine that only records its commands.
type madeMachine struct {
	place    place
	ran      []string
	fails    string // the command that fails
	exits    []int  // exit codes of that command, one for each run; then it succeeds. Empty: it always fails
	waited   time.Duration
	changers string
	wraps    []wrap.Written // clients' files that name reaperd exec
	daemon   int            // the PID of a daemon that runs; 0 if none does
	hosted   bool           // the host's daemon looks after this user's servers
	policy   string         // the text of the policy in force; "" is a refused one
	pause    *state.Pause
	out, err bytes.Buffer
}

func newMachine(t *testing.T, system string, uid int) *madeMachine {
	t.Helper()
	root := t.TempDir()
	for _, directory := range []string{"run/systemd/system", "home/dev"} {
		if err := os.MkdirAll(filepath.Join(root, directory), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	home := filepath.Join(root, "home", "dev")
	return &madeMachine{policy: "version: 1\nextends: builtin\n", place: place{
		os: system, root: root, uid: uid, user: "dev", home: home, config: filepath.Join(home, ".config"),
		state: filepath.Join(home, ".local/state/reaperd"), binary: "/usr/local/bin/reaperd",
	}}
}

// exited is the error of a command with an exit code.
type exited int

func (e exited) Error() string { return fmt.Sprintf("exit status %d", int(e)) }
func (e exited) ExitCode() int { return int(e) }

func (m *madeMachine) on(r Request, verb string) *installer {
	r.Out, r.Err, r.Hosted = &m.out, &m.err, func(context.Context) bool { return m.hosted }
	return &installer{Request: r, verb: verb, machine: machine{
		place: m.place, run: m.run,
		wait:       func(_ context.Context, d time.Duration) error { m.waited += d; return nil },
		changeable: func(string) (string, error) { return m.changers, nil },
		policy:     m.loads,
		paused: func() (state.Pause, bool, error) {
			if m.pause == nil {
				return state.Pause{}, false, nil
			}
			return *m.pause, true, nil
		},
		wrapped: func(context.Context) []wrap.Written { return m.wraps },
		daemon:  func() (state.Daemon, bool) { return state.Daemon{PID: m.daemon}, m.daemon > 0 },
	}}
}

// loads reads the policy of the machine.
func (m *madeMachine) loads(_, named string) (*policy.Policy, error) {
	if m.policy == "" {
		return nil, errors.New("it is refused")
	}
	shipped := policyfile.Shipped()
	return policy.Load(policy.File{Name: cmp.Or(named, "/etc/reaperd/policies.yaml"), Data: []byte(m.policy)}, policy.File{Name: policy.Builtin, Data: shipped.Show()})
}

// run records a command, and fails if the test wants that.
func (m *madeMachine) run(_ context.Context, command []string) error {
	line := strings.Join(command, " ")
	m.ran = append(m.ran, line)
	switch {
	case m.fails == "" || !strings.Contains(line, m.fails):
		return nil
	case m.exits == nil:
		return errors.New(line + ": it would not")
	case len(m.exits) == 0:
		return nil
	}
	code := m.exits[0]
	m.exits = m.exits[1:]
	return fmt.Errorf("%s: %w", line, exited(code))
}

func (m *madeMachine) install(t *testing.T, r Request) error {
	t.Helper()
	made := m.on(r, "install")
	return made.on(t.Context(), made.install)
}

func (m *madeMachine) uninstall(t *testing.T, r Request) error {
	t.Helper()
	made := m.on(r, "uninstall")
	return made.on(t.Context(), made.uninstall)
}

// TestADryRunShowsWhatCannotBeInstalledHere: the file and the commands, and the reason as an error. Without
// --dry-run it is the reason alone.
func TestADryRunShowsWhatCannotBeInstalledHere(t *testing.T) {
	for _, row := range []struct {
		world   string
		uid     int
		hinder  func(*madeMachine) error
		request Request
		shows   string // the file that would be written; "" shows nothing
		why     string
	}{
		{"root, and no systemd", 0, withoutSystemd, Request{DryRun: true}, "/etc/systemd/system/reaperd.service", "systemd does not run this system"},
		{"a user, and no systemd", 1000, withoutSystemd, Request{DryRun: true}, "/home/dev/.config/systemd/user/reaperd.service", "systemd does not run this system"},
		{"no systemd, and no dry run", 0, withoutSystemd, Request{Yes: true}, "", "systemd does not run this system"},
		{"a program that others may change", 0, func(m *madeMachine) error { m.changers = "user 1000"; return nil }, Request{DryRun: true}, "/etc/systemd/system/reaperd.service", "/usr/local/bin/reaperd may be changed by user 1000, and root would run it"},
		{"the host's, without root", 1000, func(*madeMachine) error { return nil }, Request{Host: true, DryRun: true}, "/etc/systemd/system/reaperd.service", "a service of the whole host needs root"},
		{"the host's, without root or systemd", 1000, withoutSystemd, Request{Host: true, DryRun: true}, "/etc/systemd/system/reaperd.service", "systemd does not run this system"},
		{"no systemd, and a daemon that runs by hand", 0, func(m *madeMachine) error { m.daemon = 1; return withoutSystemd(m) }, Request{DryRun: true}, "/etc/systemd/system/reaperd.service", "systemd does not run this system"},
	} {
		m := newMachine(t, "linux", row.uid)
		if err := row.hinder(m); err != nil {
			t.Fatal(err)
		}
		var fault *human.Error
		if err := m.install(t, row.request); !errors.As(err, &fault) || fault.Misuse || fault.Hint == "" || fault.Error() != row.why {
			t.Errorf("%s: error %v, want %q and a hint", row.world, err, row.why)
		}
		out := strings.ReplaceAll(m.out.String(), m.place.root, "")
		if row.shows == "" && out != "" || !strings.HasPrefix(out, prefixOf(row.shows)) {
			t.Errorf("%s: it shows\n%s", row.world, out)
		}
		if row.shows != "" && (!strings.Contains(out, "ExecStart=") || !strings.Contains(out, "\nIf it could be installed here, it would run\n    systemctl ")) {
			t.Errorf("%s: it shows\n%s", row.world, out)
		}
		if _, err := os.Stat(m.place.path("/etc")); err == nil || len(m.ran) > 0 {
			t.Errorf("%s: it wrote a file, or ran %q", row.world, m.ran)
		}
	}
}

func withoutSystemd(m *madeMachine) error {
	return os.Remove(filepath.Join(m.place.root, "run/systemd/system"))
}

// prefixOf is how a preview begins that shows a file.
func prefixOf(file string) string {
	if file == "" {
		return ""
	}
	return "If it could be installed here, it would write " + file + "\n"
}

// TestInstallWritesNoAgentForWhoIsNotAtTheScreen: a user who is logged in over ssh alone
// has no launchd domain for agents.
func TestInstallWritesNoAgentForWhoIsNotAtTheScreen(t *testing.T) {
	m := newMachine(t, "darwin", 501)
	m.fails, m.exits = "print gui/501", []int{125}
	err := m.install(t, Request{Yes: true})
	var fault *human.Error
	if !errors.As(err, &fault) || !strings.Contains(fault.Hint, "log in at the screen") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(m.place.home, "Library/LaunchAgents/io.github.reaperd.plist")); err == nil {
		t.Error("an agent was written that nothing loads")
	}
}

func TestInstallWritesTheServiceOfTheMachineAndStartsIt(t *testing.T) {
	for _, row := range []struct {
		name, os string
		uid      int
		file     string // below the machine's root
		says     string
		ran      []string
	}{
		{"root on Linux gets a system unit", "linux", 0, "etc/systemd/system/reaperd.service", "ExecStart=/usr/local/bin/reaperd run\n",
			[]string{"systemctl daemon-reload", "systemctl enable reaperd.service", "systemctl restart reaperd.service"}},
		{"a user on Linux gets a user unit", "linux", 1000, "home/dev/.config/systemd/user/reaperd.service", "ExecStart=/usr/local/bin/reaperd run\n",
			[]string{"systemctl --user show --property=Version", "systemctl --user daemon-reload", "systemctl --user enable reaperd.service", "systemctl --user restart reaperd.service"}},
		{"a user on macOS gets an agent", "darwin", 501, "home/dev/Library/LaunchAgents/io.github.reaperd.plist", "<string>/usr/local/bin/reaperd</string>",
			[]string{"launchctl print gui/501", "launchctl bootout gui/501/io.github.reaperd", "launchctl enable gui/501/io.github.reaperd", "launchctl bootstrap gui/501 "}},
		{"root on macOS gets a daemon", "darwin", 0, "Library/LaunchDaemons/io.github.reaperd.plist", "<string>/Library/Logs/reaperd.log</string>",
			[]string{"launchctl bootout system/io.github.reaperd", "launchctl enable system/io.github.reaperd", "launchctl bootstrap system "}},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := newMachine(t, row.os, row.uid)
			m.fails, m.exits = "bootout", []int{3} // a job that is not loaded cannot be unloaded, which is no error
			if err := m.install(t, Request{Yes: true}); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(filepath.Join(m.place.root, row.file))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), row.says) || strings.Contains(string(text), "/Users/NAME") {
				t.Errorf("the service lacks %q:\n%s", row.says, text)
			}
			if !slices.EqualFunc(m.ran, row.ran, strings.HasPrefix) {
				t.Errorf("ran %q, want %q", m.ran, row.ran)
			}
			if shown := m.out.String(); !strings.Contains(shown, row.file) || strings.Contains(shown, row.says) || !strings.Contains(shown, "reaperd status") || strings.Count(shown, "\n") > 15 {
				t.Errorf("it did not show where it wrote, or how to look at it, or all of it:\n%s", shown)
			}
			if err := m.install(t, Request{DryRun: true}); err != nil || !strings.Contains(m.out.String(), row.file) {
				t.Errorf("a dry run: %v\n%s", err, m.out.String())
			}
		})
	}
}

func TestInstallThatIsNotWantedChangesNothing(t *testing.T) {
	packaged := func(t *testing.T, m *madeMachine) {
		putFile(t, filepath.Join(m.place.root, "usr/lib/systemd/system/reaperd.service"), "[Service]\n")
	}
	for _, row := range []struct {
		name string
		ask  Request
		uid  int
		set  func(*testing.T, *madeMachine)
		hint string // empty: no error
	}{
		{"a dry run", Request{DryRun: true}, 1000, nil, ""},
		{"a host's service without root", Request{Host: true, Yes: true}, 1000, nil, "sudo reaperd install --system"},
		{"a user's service for root", Request{User: true, Yes: true}, 0, nil, "as the user whose sessions they are"},
		{"a package brought it", Request{Yes: true}, 0, packaged, "systemctl enable --now reaperd"},
		{"another init", Request{Yes: true}, 0, func(t *testing.T, m *madeMachine) {
			if err := os.RemoveAll(filepath.Join(m.place.root, "run")); err != nil {
				t.Fatal(err)
			}
		}, "reaperd run"},
		{"a program that goes with the next start", Request{Yes: true}, 1000, func(_ *testing.T, m *madeMachine) { m.place.binary = "/tmp/reaperd" }, "/usr/local/bin"},
		{"a program of brew's", Request{Yes: true}, 1000, func(_ *testing.T, m *madeMachine) { m.place.binary = "/opt/homebrew/Cellar/reaperd/1/bin/reaperd" }, "brew services"},
		{"a program that others may change, as root", Request{Yes: true}, 0, func(_ *testing.T, m *madeMachine) { m.changers = "dev" }, "sudo install"},
		{"no home", Request{Yes: true}, 1000, func(_ *testing.T, m *madeMachine) { m.place.home = "" }, "HOME"},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := newMachine(t, "linux", row.uid)
			if row.set != nil {
				row.set(t, m)
			}
			err := m.install(t, row.ask)
			var f *human.Error
			if row.hint == "" && err != nil || row.hint != "" && (!errors.As(err, &f) || !strings.Contains(f.Hint, row.hint)) {
				t.Errorf("error %v, want one with the hint %q", err, row.hint)
			}
			if len(m.ran) > 0 {
				t.Errorf("ran %q", m.ran)
			}
			for _, file := range []string{"etc/systemd/system/reaperd.service", "home/dev/.config/systemd/user/reaperd.service"} {
				if isThere(filepath.Join(m.place.root, file)) {
					t.Errorf("wrote %s", file)
				}
			}
		})
	}
}

func TestInstallAndUninstallLeaveSomebodyElsesServiceAlone(t *testing.T) {
	m := newMachine(t, "linux", 0)
	file := filepath.Join(m.place.root, "etc/systemd/system/reaperd.service")
	const theirs = "[Service]\nExecStart=/opt/reaperd run --mode report\n"
	putFile(t, file, theirs)
	if err := m.install(t, Request{Yes: true}); err == nil {
		t.Error("install wrote over it")
	}
	if err := m.uninstall(t, Request{Yes: true}); err == nil {
		t.Error("uninstall removed it")
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != theirs || len(m.ran) > 0 {
		t.Errorf("the unit is %q (%v), ran %q", text, err, m.ran)
	}
}

func TestUninstallStopsAndRemovesWhatInstallWroteAndNothingElse(t *testing.T) {
	m := newMachine(t, "linux", 1000)
	policy := filepath.Join(m.place.config, "reaperd", "policies.yaml")
	putFile(t, policy, "version: 1\n")
	if err := m.install(t, Request{Yes: true}); err != nil {
		t.Fatal(err)
	}
	m.ran = nil
	if err := m.uninstall(t, Request{Yes: true}); err != nil {
		t.Fatal(err)
	}
	if isThere(filepath.Join(m.place.config, "systemd/user/reaperd.service")) {
		t.Error("the unit is still there")
	}
	if !isThere(policy) {
		t.Error("the policy is gone")
	}
	if want := []string{"systemctl --user show --property=Version", "systemctl --user disable --now reaperd.service", "systemctl --user daemon-reload"}; !slices.Equal(m.ran, want) {
		t.Errorf("ran %q, want %q", m.ran, want)
	}
	if err := m.uninstall(t, Request{Yes: true}); err != nil {
		t.Errorf("a second time: %v", err)
	}
}

func TestUninstallOnAMacRemovesWhatHasStoppedAndNothingElse(t *testing.T) {
	for _, row := range []struct {
		name    string
		exits   []int
		removes bool
		waited  time.Duration
	}{
		{"it was loaded", []int{}, true, 0},
		{"it was not loaded", []int{3}, true, 0},
		{"launchd does not know it", []int{113}, true, 0},
		{"it takes its time, and is gone", []int{36, 36, 3}, true, 2 * time.Second},
		{"it does not end", slices.Repeat([]int{36}, 16), false, 15 * time.Second},
		{"launchd refuses", []int{125}, false, 0},
		{"launchctl could not be run", nil, false, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := newMachine(t, "darwin", 501)
			if err := m.install(t, Request{Yes: true}); err != nil {
				t.Fatal(err)
			}
			m.out.Reset()
			m.fails, m.exits = "bootout", row.exits
			err := m.uninstall(t, Request{Yes: true})
			job := filepath.Join(m.place.home, "Library/LaunchAgents/io.github.reaperd.plist")
			if (err == nil) != row.removes || isThere(job) == row.removes || strings.Contains(m.out.String(), "Stopped and removed") != row.removes {
				t.Errorf("error %v, the job is there: %v, it says\n%s", err, isThere(job), m.out.String())
			}
			if m.waited != row.waited {
				t.Errorf("waited %s, want %s", m.waited, row.waited)
			}
		})
	}
}

func TestAJobThatIsLoadedAgainAtOnceIsTriedForAWhile(t *testing.T) {
	for _, row := range []struct {
		name   string
		exits  []int
		starts bool
		waited time.Duration
	}{
		{"launchd takes it after three seconds", []int{5, 5, 5}, true, 3 * time.Second},
		{"launchd never takes it", slices.Repeat([]int{5}, 16), false, 15 * time.Second},
		{"launchd refuses it", []int{78}, false, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := newMachine(t, "darwin", 501)
			m.fails, m.exits = "bootstrap", row.exits
			if err := m.install(t, Request{Yes: true}); (err == nil) != row.starts || m.waited != row.waited {
				t.Errorf("error %v after %s, want one: %v, after %s", err, m.waited, !row.starts, row.waited)
			}
		})
	}
}

func TestUninstallNamesThePolicyThatTheDaemonReads(t *testing.T) {
	for _, row := range []struct {
		name, os string
		uid      int
		policy   string // empty: the user's own
	}{
		{"root on Linux", "linux", 0, "/etc/reaperd"},
		{"a user on Linux", "linux", 1000, ""},
		{"root on macOS, with the HOME that sudo left", "darwin", 0, "/etc/reaperd"},
		{"a user on macOS", "darwin", 501, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := newMachine(t, row.os, row.uid)
			file := filepath.Join(m.place.config, "reaperd", "policies.yaml")
			if row.policy != "" {
				file = filepath.Join(m.place.root, row.policy, "policies.yaml")
			}
			putFile(t, file, "")
			if err := m.install(t, Request{Yes: true}); err != nil {
				t.Fatal(err)
			}
			m.out.Reset()
			if err := m.uninstall(t, Request{Yes: true}); err != nil {
				t.Fatal(err)
			}
			if said := m.out.String(); !strings.Contains(said, "policy   "+file+"\n") || strings.Contains(said, "journal") {
				t.Errorf("it does not name %s, or what is not there:\n%s", file, said)
			}
		})
	}
}

// TestUninstallNamesWhatStays, and nothing that is not there; a pause keeps sweeps from acting.
func TestUninstallNamesWhatStays(t *testing.T) {
	m := newMachine(t, "linux", 0)
	m.place.state = filepath.Join(m.place.root, "var/lib/reaperd")
	install := func() {
		t.Helper()
		if err := m.install(t, Request{Yes: true}); err != nil {
			t.Fatal(err)
		}
		m.out.Reset()
	}
	install()
	if err := m.uninstall(t, Request{Yes: true}); err != nil || !strings.HasSuffix(m.out.String(), "Stopped and removed. These stay:\n    program  /usr/local/bin/reaperd\n") {
		t.Errorf("%v\n%s", err, m.out.String())
	}
	install()
	for _, file := range []string{"var/lib/reaperd/journal.jsonl", "var/lib/reaperd/pins.json", "etc/systemd/system/reaperd.service.d/override.conf", "etc/default/reaperd"} {
		putFile(t, filepath.Join(m.place.root, file), "")
	}
	m.pause, m.wraps = &state.Pause{}, []wrap.Written{{Path: "/home/ann/.claude.json", User: "ann"}, {Path: "/root/.claude.json"}}
	if err := m.uninstall(t, Request{Yes: true}); err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(`Run
    systemctl disable --now reaperd.service
Remove ROOT/etc/systemd/system/reaperd.service
Run
    systemctl daemon-reload
Stopped and removed. These stay:
    journal  ROOT/var/lib/reaperd/journal.jsonl
    pins     ROOT/var/lib/reaperd/pins.json
    changes  ROOT/etc/systemd/system/reaperd.service.d   of systemctl edit
    flags    ROOT/etc/default/reaperd
    pause    it is paused; reaperd resume ends that
    wrapped  /home/ann/.claude.json   its servers start by reaperd exec: reaperd wrap --undo as ann, before the program goes
    wrapped  /root/.claude.json   its servers start by reaperd exec: reaperd wrap --undo, before the program goes
    program  /usr/local/bin/reaperd
`, "ROOT", m.place.root)
	if got := m.out.String(); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
	m.daemon = 12
	if err := m.uninstall(t, Request{Yes: true}); err != nil || !strings.HasSuffix(m.err.String(), "nothing to remove\nnote: /home/ann/.claude.json: its servers start by reaperd exec: reaperd wrap --undo as ann, before the program goes\n"+
		"note: /root/.claude.json: its servers start by reaperd exec: reaperd wrap --undo, before the program goes\nnote: a daemon runs that was started by hand (process 12): kill 12 ends it\n") {
		t.Errorf("%v: %s", err, m.err.String())
	}
}

func TestAServiceThatDoesNotStopIsNotRemoved(t *testing.T) {
	m := newMachine(t, "linux", 1000)
	if err := m.install(t, Request{Yes: true}); err != nil {
		t.Fatal(err)
	}
	m.fails = "disable"
	if err := m.uninstall(t, Request{Yes: true}); err == nil || !strings.Contains(err.Error(), "reaperd.service is still there: systemctl --user disable --now reaperd.service: it would not") {
		t.Errorf("error %v", err)
	}
	if !isThere(filepath.Join(m.place.config, "systemd/user/reaperd.service")) {
		t.Error("the unit is gone while the daemon runs")
	}
}

func TestInstallWithoutAUserManagerWritesNothing(t *testing.T) {
	m := newMachine(t, "linux", 1000)
	m.fails = "systemctl --user" // after su and sudo -u there is no bus
	err := m.install(t, Request{Yes: true})
	var f *human.Error
	if !errors.As(err, &f) || !strings.Contains(f.Hint, "loginctl enable-linger dev") || !strings.Contains(f.Hint, "XDG_RUNTIME_DIR=/run/user/1000") {
		t.Errorf("error %v, hint %+v", err, f)
	}
	if isThere(filepath.Join(m.place.config, "systemd")) {
		t.Error("it wrote something all the same")
	}
}

func TestUninstallWithoutAUserManagerRemovesTheUnitAndSaysThatNothingWasStopped(t *testing.T) {
	m := newMachine(t, "linux", 1000)
	if err := m.install(t, Request{Yes: true}); err != nil {
		t.Fatal(err)
	}
	unit := filepath.Join(m.place.config, "systemd/user/reaperd.service")
	link := filepath.Join(m.place.config, "systemd/user/default.target.wants/reaperd.service")
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(unit, link); err != nil {
		t.Fatal(err)
	}
	m.fails = "systemctl --user"
	m.out.Reset()
	if err := m.uninstall(t, Request{Yes: true}); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{unit, link} {
		if _, err := os.Lstat(file); err == nil {
			t.Errorf("%s is still there", file)
		}
	}
	if said := m.out.String() + m.err.String(); strings.Contains(said, "Stopped and") || !strings.Contains(said, "Nothing was stopped") {
		t.Errorf("it says\n%s", said)
	}
}

func TestWhoMayChangeAProgramThatRootRuns(t *testing.T) {
	program := filepath.Join(t.TempDir(), "reaperd")
	putFile(t, program, "")
	if err := os.Chmod(program, 0o777); err != nil {
		t.Fatal(err)
	}
	if who, err := changeable(program); err != nil || who == "" {
		t.Errorf("a program of mode 0777: %q, %v", who, err)
	}
	if _, err := changeable(program + "-that-is-not-there"); err == nil {
		t.Error("no error for a program that is not there")
	}
	if who, err := changeable("/dev/null"); err == nil && who == "" {
		t.Error("/dev/null may be changed by everybody")
	}
}

func putFile(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestWhoeverInstallsLearnsWhatTheServiceWillDo before the question.
func TestWhoeverInstallsLearnsWhatTheServiceWillDo(t *testing.T) {
	const enforce = "version: 1\nextends: builtin\n"
	until := time.Date(2026, 11, 23, 14, 0, 0, 0, time.Local)
	for _, row := range []struct {
		world, policy string
		pause         *state.Pause
		files         []string // below the machine's root
		want          string
	}{
		{"it acts", enforce, nil, nil, "It acts from its start (mode enforce), by /etc/reaperd/policies.yaml. What it would stop:\n    reaperd scan --dry-run\n"},
		{"it reports", enforce + "mode: report\n", nil, nil, "It stops nothing: /etc/reaperd/policies.yaml says mode: report.\n"},
		{"it is paused", enforce, &state.Pause{}, nil, "It is paused; it acts after reaperd resume (mode enforce), by /etc/reaperd/policies.yaml. What it would stop:\n    reaperd scan --dry-run\n"},
		{"it is paused for a while", enforce, &state.Pause{Until: until, Reason: "a migration"}, nil, "It is paused until 2026-11-23 14:00:00: a migration; it acts after that, or after reaperd resume (mode enforce), by /etc/reaperd/policies.yaml. What it would stop:\n    reaperd scan --dry-run\n"},
		{"root has a policy of its own", enforce, nil, []string{"home/dev/.config/reaperd/policies.yaml", "etc/reaperd/policies.yaml"},
			"The service does not read ROOT/home/dev/.config/reaperd/policies.yaml.\nIt acts from its start (mode enforce), by /etc/reaperd/policies.yaml. What it would stop:\n    reaperd scan --dry-run --policies /etc/reaperd/policies.yaml\n"},
	} {
		m := newMachine(t, "linux", 0)
		m.policy, m.pause = row.policy, row.pause
		for _, file := range row.files {
			putFile(t, filepath.Join(m.place.root, file), "")
		}
		if err := m.install(t, Request{DryRun: true}); err != nil || !strings.HasSuffix(m.out.String(), strings.ReplaceAll(row.want, "ROOT", m.place.root)) {
			t.Errorf("%s: %v\n%s", row.world, err, m.out.String())
		}
	}
}

// TestAUserWhomTheHostsDaemonLooksAfterNeedsNoService: one would end as it starts.
func TestAUserWhomTheHostsDaemonLooksAfterNeedsNoService(t *testing.T) {
	m := newMachine(t, "linux", 1000)
	m.hosted = true
	if err := m.install(t, Request{Yes: true}); err != nil || m.out.String() != "This host's daemon looks after your servers: reaperd status\n" || len(m.ran) > 0 {
		t.Errorf("%v, ran %q\n%s", err, m.ran, m.out.String())
	}
	if service, _ := m.place.service(false); isThere(service.file) {
		t.Error("a service was written")
	}
}

// TestNoServiceIsInstalledThatWouldGoByAnotherPolicy than the one that was written for it, or that
// would not start with it.
func TestNoServiceIsInstalledThatWouldGoByAnotherPolicy(t *testing.T) {
	for _, row := range []struct{ world, policy, file, want, hint string }{
		{"it is refused", "", "etc/reaperd/policies.yaml", "the service would not start: it is refused", ""},
		{"the service does not read it", "version: 1\n", "home/dev/.config/reaperd/policies.yaml", "it would not read ROOT/home/dev/.config/reaperd/policies.yaml, and act by the built-in policy",
			"mkdir -p /etc/reaperd && cp ROOT/home/dev/.config/reaperd/policies.yaml /etc/reaperd/   then reaperd install"},
	} {
		m := newMachine(t, "linux", 0)
		m.policy = row.policy
		putFile(t, filepath.Join(m.place.root, row.file), "")
		err := m.install(t, Request{Yes: true})
		if err == nil || !strings.Contains(err.Error(), strings.ReplaceAll(row.want, "ROOT", m.place.root)) {
			t.Errorf("%s: %v", row.world, err)
		}
		if advised := new(human.Error); errors.As(err, &advised) && advised.Hint != strings.ReplaceAll(row.hint, "ROOT", m.place.root) {
			t.Errorf("%s: hint %q", row.world, advised.Hint)
		}
		if isThere(filepath.Join(m.place.root, "etc/systemd/system/reaperd.service")) || len(m.ran) > 0 {
			t.Errorf("%s: it is installed", row.world)
		}
	}
	m := newMachine(t, "linux", 1000) // a user's service reads the user's policy
	putFile(t, filepath.Join(m.place.config, "reaperd/policies.yaml"), "")
	if err := m.install(t, Request{Yes: true}); err != nil {
		t.Errorf("a user's own: %v", err)
	}
}

// TestAServiceThatDoesNotStartIsSaidToBeWritten, with what shows why and what removes it.
func TestAServiceThatDoesNotStartIsSaidToBeWritten(t *testing.T) {
	m := newMachine(t, "linux", 0)
	m.fails = "restart"
	err := m.install(t, Request{Yes: true})
	advised := new(human.Error)
	if !errors.As(err, &advised) || !strings.Contains(err.Error(), "reaperd.service is written, but not started: ") || advised.Hint != "systemctl status reaperd   says why; reaperd uninstall   removes it again" {
		t.Errorf("%v, advice %+v", err, advised)
	}
}

// TestAServiceThatIsThereIsReplacedOrLeft: the plan says which.
func TestAServiceThatIsThereIsReplacedOrLeft(t *testing.T) {
	m := newMachine(t, "linux", 0)
	for _, want := range []string{"Would write ROOT", "Would leave ROOT/etc/systemd/system/reaperd.service as it is\n", "Would replace ROOT"} {
		m.out.Reset()
		if err := m.install(t, Request{DryRun: true}); err != nil || !strings.HasPrefix(m.out.String(), strings.ReplaceAll(want, "ROOT", m.place.root)) {
			t.Errorf("want %s: %v\n%s", want, err, m.out.String())
		}
		if want[6] == 'l' { // next: another program's service
			m.place.binary = "/opt/reaperd"
		} else if err := m.install(t, Request{Yes: true}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNoServiceIsInstalledBesideADaemon: two cannot run. The service's own daemon is started
// anew.
func TestNoServiceIsInstalledBesideADaemon(t *testing.T) {
	m := newMachine(t, "linux", 0)
	m.daemon = 12
	if err := m.install(t, Request{Yes: true}); err == nil || !strings.Contains(err.Error(), "a daemon runs already (process 12)") || len(m.ran) > 0 {
		t.Errorf("%v, ran %v", err, m.ran)
	}
	m.daemon = 0
	if err := m.install(t, Request{Yes: true}); err != nil {
		t.Fatal(err)
	}
	m.daemon = 13
	if err := m.install(t, Request{Yes: true}); err != nil {
		t.Errorf("its own daemon: %v", err)
	}
	for group, isOurs := range map[string]bool{"0::/system.slice/reaperd.service\n": true, "0::/user.slice/user-0.slice/session-3.scope\n": false} {
		file := filepath.Join(m.place.root, "proc/13/cgroup")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		putFile(t, file, group)
		if err := m.install(t, Request{Yes: true}); (err == nil) != isOurs {
			t.Errorf("beside a daemon in %s: %v", group, err)
		}
	}
}

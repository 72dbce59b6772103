package install

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/deploy"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/wrap"
)

// TestAForgottenSudoIsNoServiceThatIsGone: the service of the whole host runs on.
func TestAForgottenSudoIsNoServiceThatIsGone(t *testing.T) {
	hosts := map[string]string{"linux": "etc/systemd/system/reaperd.service", "darwin": "Library/LaunchDaemons/" + deploy.Label + ".plist"}
	for _, row := range []struct {
		world, os  string
		uid        int
		ask        Request
		file, text string
		want, hint string // the end of the error; empty: none
	}{
		{"on Linux", "linux", 1000, Request{Yes: true}, hosts["linux"], "# " + deploy.Written, "; the service of the whole host is: ROOT/" + hosts["linux"], "sudo reaperd uninstall   removes it"},
		{"on a Mac", "darwin", 501, Request{Yes: true}, hosts["darwin"], "<!-- " + deploy.Written + " -->", "; the service of the whole host is: ROOT/" + hosts["darwin"], "sudo reaperd uninstall   removes it"},
		{"he asked for his own", "linux", 1000, Request{User: true, Yes: true}, hosts["linux"], "# " + deploy.Written, "", ""},
		{"it is another's", "linux", 1000, Request{Yes: true}, hosts["linux"], "[Service]", "", ""},
		{"a package has brought it", "linux", 0, Request{Yes: true}, "usr/lib/systemd/system/reaperd.service", "[Service]", "; a package has brought the service: ROOT/usr/lib/systemd/system/reaperd.service",
			"systemctl disable --now reaperd   stops it, or for yourself: systemctl --user disable --now reaperd; the package takes it away"},
		{"there is none", "linux", 1000, Request{Yes: true}, "etc/passwd", "", "", ""},
	} {
		m := newMachine(t, row.os, row.uid)
		putFile(t, filepath.Join(m.place.root, row.file), row.text+"\n")
		err := m.uninstall(t, row.ask)
		want := strings.ReplaceAll(row.want, "ROOT", m.place.root)
		var advised *human.Error
		switch isError := errors.As(err, &advised); {
		case row.want == "" && (err != nil || !strings.HasSuffix(m.err.String(), "is not there: nothing to remove\n")):
			t.Errorf("%s: %v, %s", row.world, err, m.err.String())
		case row.want != "" && (!isError || !strings.HasSuffix(err.Error(), want) || advised.Hint != row.hint):
			t.Errorf("%s: %v, want %s", row.world, err, want)
		}
		if !isThere(filepath.Join(m.place.root, row.file)) || len(m.ran) > 0 {
			t.Errorf("%s: something was done: %q", row.world, m.ran)
		}
	}
}

// TestADryRunShowsTheRemovalOfTheHostsServiceWithoutRoot: all of it, and then why it cannot be done.
func TestADryRunShowsTheRemovalOfTheHostsServiceWithoutRoot(t *testing.T) {
	m := newMachine(t, "linux", 1000)
	m.wraps = []wrap.Written{{Path: "/home/dev/.mcp.json"}}
	if err := m.uninstall(t, Request{Host: true, DryRun: true}); err != nil || !strings.HasSuffix(m.err.String(), "is not there: nothing to remove\n") {
		t.Errorf("there is none: %v, %s", err, m.err.String())
	}
	file := filepath.Join(m.place.root, "etc/systemd/system/reaperd.service")
	putFile(t, file, "# "+deploy.Written+"\n")
	err := m.uninstall(t, Request{Host: true, DryRun: true})
	const want = "As root it would run\n    systemctl disable --now reaperd.service\nAs root it would remove ROOT/etc/systemd/system/reaperd.service\nAs root it would run\n    systemctl daemon-reload\n"
	if got := strings.ReplaceAll(m.out.String(), m.place.root, "ROOT"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var advised *human.Error
	if !errors.As(err, &advised) || advised.Misuse || advised.Hint != "sudo reaperd uninstall --system" {
		t.Errorf("got %v, advice %+v", err, advised)
	}
	if !isThere(file) || len(m.ran) > 0 {
		t.Errorf("something was done: %q", m.ran)
	}
}

// TestADaemonThatRunsBesideTheServiceIsNotSaidToBeStopped.
func TestADaemonThatRunsBesideTheServiceIsNotSaidToBeStopped(t *testing.T) {
	m := newMachine(t, "linux", 0)
	if err := m.install(t, Request{Yes: true}); err != nil {
		t.Fatal(err)
	}
	m.daemon = 810
	if err := m.uninstall(t, Request{Yes: true}); err != nil || m.err.String() != "note: a daemon runs that was started by hand (process 810): kill 810 ends it\n" || m.waited > 5*time.Second {
		t.Errorf("%v, after %s: %s", err, m.waited, m.err.String())
	}
}

// TestWhatStaysIsSaidBeforeTheQuestion, and not twice where there is none.
func TestWhatStaysIsSaidBeforeTheQuestion(t *testing.T) {
	m := newMachine(t, "linux", 0)
	m.place.state = filepath.Join(m.place.root, "var/lib/reaperd")
	if err := m.install(t, Request{Yes: true}); err != nil {
		t.Fatal(err)
	}
	putFile(t, filepath.Join(m.place.state, "journal.jsonl"), "")
	putFile(t, filepath.Join(m.place.root, "etc/reaperd/policies.yaml"), "")
	m.out.Reset()
	m.wraps = []wrap.Written{{Path: "/root/.claude.json"}, {Path: "/root/.codex/config.toml"}}
	if err := m.uninstall(t, Request{DryRun: true}); err != nil || !strings.HasSuffix(m.out.String(), "\nWould leave the policy, the journal, the wrapped clients and the program, /usr/local/bin/reaperd\n") {
		t.Errorf("%v\n%s", err, m.out.String())
	}
	m.out.Reset()
	if err := m.uninstall(t, Request{Yes: true}); err != nil || strings.Count(m.out.String(), "journal") != 2 { // its row and its path
		t.Errorf("%v\n%s", err, m.out.String())
	}
}

// TestLinesAreBrokenBetweenWords where they are too wide, those of the unit's comments too. Commands
// stay whole, to be copied.
func TestLinesAreBrokenBetweenWords(t *testing.T) {
	m := newMachine(t, "linux", 0)
	m.place.state = filepath.Join(m.place.root, "var/lib/reaperd")
	if err := m.install(t, Request{Yes: true}); err != nil {
		t.Fatal(err)
	}
	m.wraps = []wrap.Written{{Path: "/home/ann/.claude.json", User: "ann"}}
	made := m.on(Request{DryRun: true, Width: 70}, "uninstall")
	m.out.Reset()
	if err := made.on(t.Context(), made.uninstall); err != nil || !strings.HasSuffix(m.out.String(), "\nWould leave the wrapped clients and the program,\n/usr/local/bin/reaperd\n") {
		t.Errorf("%v\n%s", err, m.out.String())
	}
	m.out.Reset()
	made.would("write it", "[Service]\n# Again whatever ended it, a crash and the watchdog's SIGABRT among it: Go ends\nRestart=always\n", nil)
	const want = `Would write it
    [Service]
    # Again whatever ended it, a crash and the watchdog's SIGABRT
      among it: Go ends
    Restart=always
`
	if m.out.String() != want {
		t.Errorf("got\n%s, want\n%s", m.out.String(), want)
	}
	m.out.Reset()
	made.Request = Request{Yes: true, Width: 70, Out: &m.out, Err: &m.err}
	if err := made.on(t.Context(), made.uninstall); err != nil || !strings.HasSuffix(m.out.String(), `
    wrapped  /home/ann/.claude.json   its servers start by reaperd
             exec: reaperd wrap --undo as ann, before the program goes
    program  /usr/local/bin/reaperd
`) {
		t.Errorf("%v\n%s", err, m.out.String())
	}
}

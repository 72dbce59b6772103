package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/test/standin"
)

// ran is the result of one command line.
type ran struct {
	code     int
	out, err string
}

// command runs one command line in this process, with a home and state directory that
// belong to the test.
func command(t *testing.T, args ...string) ran {
	t.Helper()
	var out, err strings.Builder
	code := run(t.Context(), args, cli.Terminal{In: strings.NewReader(""), Out: &out, Err: &err})
	return ran{code, out.String(), err.String()}
}

// ownState gives the test a state directory, a home and no engine of its own.
func ownState(t *testing.T) state.Dir {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	t.Setenv("REAPERD_STATE_DIR", filepath.Join(home, "state"))
	t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(home, "no-engine.sock"))
	return stateDir()
}

func TestPinListAndUnpinOneOfTwo(t *testing.T) {
	ownState(t)
	one, two := standin.Server(t, "mcp-server-pintest"), standin.Server(t, "mcp-server-pintest")
	if got := command(t, "pin", one, "--for", "8h", "--reason", "a demo"); got.code != exitOK || !strings.Contains(got.out, " "+one+" until ") || strings.Contains(got.out, two) {
		t.Fatalf("pin: %+v", got)
	}
	got := command(t, "pins", "-o", "json")
	var listed struct {
		Version int `json:"version"`
		Pins    []struct {
			ID      string    `json:"id"`
			Until   time.Time `json:"until"`
			Reason  string    `json:"reason"`
			Running bool      `json:"running"`
		} `json:"pins"`
	}
	if err := json.Unmarshal([]byte(got.out), &listed); err != nil || got.code != exitOK {
		t.Fatalf("pins: %v, %+v", err, got)
	}
	if listed.Version != 1 || len(listed.Pins) != 1 {
		t.Fatalf("pins: %+v", listed)
	}
	pin := listed.Pins[0]
	if !strings.HasPrefix(pin.ID, one+":") || pin.Reason != "a demo" || !pin.Running || time.Until(pin.Until) > 8*time.Hour {
		t.Errorf("pinned %+v", pin)
	}
	if got := command(t, "unpin", two); got.code != exitFailed || !strings.Contains(got.err, two+": not pinned") {
		t.Errorf("unpin what is not pinned: %+v", got)
	}
	if got := command(t, "unpin", one); got.code != exitOK || !strings.Contains(got.out, "Unpinned") {
		t.Errorf("unpin: %+v", got)
	}
	if got := command(t, "pins"); got.code != exitOK || got.out != "Nothing is pinned.\n" {
		t.Errorf("afterwards: %+v", got)
	}
}

func TestANamePinsEveryCopyThatRunsByItsIdentity(t *testing.T) {
	d := ownState(t)
	one, two := standin.Server(t, "mcp-server-pincopies"), standin.Server(t, "mcp-server-pincopies")
	name := pinnableName(t, one)
	if got := command(t, "pin", name); got.code != exitOK {
		t.Fatalf("pin: %+v", got)
	}
	pins, err := d.Pins("", time.Now())
	if err != nil || len(pins) != 2 {
		t.Fatalf("%d pins, %v", len(pins), err)
	}
	handles := []string{pins[0].Members[0], pins[1].Members[0]}
	for _, pid := range []string{one, two} {
		if !slices.ContainsFunc(handles, func(id string) bool { return strings.HasPrefix(id, pid+":") }) {
			t.Errorf("%s is not in %+v", pid, pins)
		}
	}
	if got := command(t, "unpin", strings.ToUpper(name[:len(name)-2])+"*"); strings.Count(got.out, "Unpinned") != 2 {
		t.Errorf("unpin by name: %+v", got)
	}
}

// pinnableName is the name in a report of the server with that PID.
func pinnableName(t *testing.T, pid string) string {
	t.Helper()
	var scanned struct {
		Targets []struct {
			Name string `json:"name"`
			PIDs []int  `json:"pids"`
		} `json:"targets"`
	}
	got := command(t, "scan", "-o", "json", "--settle", "0")
	if err := json.Unmarshal([]byte(got.out), &scanned); err != nil {
		t.Fatalf("scan: %v, %+v", err, got)
	}
	for _, target := range scanned.Targets {
		for _, member := range target.PIDs {
			if strconv.Itoa(member) == pid {
				return target.Name
			}
		}
	}
	t.Fatalf("%s is not in %s", pid, got.out)
	return ""
}

// TestWhatIsNotHereIsNotPinned: what was named before it is.
func TestWhatIsNotHereIsNotPinned(t *testing.T) {
	d := ownState(t)
	got := command(t, "pin", strconv.Itoa(os.Getpid()), "99999999", "no-such-server")
	if got.code != exitFailed || !strings.Contains(got.err, "99999999: no such MCP server") || !strings.Contains(got.out, "Pinned ") {
		t.Errorf("got %+v", got)
	}
	if pins, err := d.Pins("", time.Now()); err != nil || len(pins) != 1 {
		t.Errorf("pinned: %+v, %v", pins, err)
	}
}

func TestAnyProcessCanBePinned(t *testing.T) {
	ownState(t)
	pid := strconv.Itoa(os.Getpid())
	if got := command(t, "pin", pid); got.code != exitOK || !strings.Contains(got.out, pid) {
		t.Errorf("got %+v", got)
	}
}

func TestPinRefusesWhatItCannotMean(t *testing.T) {
	ownState(t)
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"a time that is none", []string{"pin", "1", "--for", "soon"}, `--for "soon": want a time`},
		{"a time that is over", []string{"pin", "1", "--for", "-1h"}, "want a time above 0"},
		{"nothing", []string{"pin"}, "want a PID, a container or a name, got nothing"},
		{"unpin without a word", []string{"unpin"}, "want what to unpin, or --all"},
		{"unpin all and one", []string{"unpin", "--all", "7"}, "want what to unpin, or --all, and not both"},
		{"pins as what it is not", []string{"pins", "-o", "xml"}, `--output "xml"`},
		{"a pause that is none", []string{"pause", "tonight"}, `pause "tonight": want a time`},
		{"a reason without an end", []string{"pin", "1", "--reason", strings.Repeat("x", 501)}, "--reason: the reason has 501 characters: want at most 500"},
		{"such a reason of a pause", []string{"pause", "--reason", strings.Repeat("x", 501)}, "--reason: the reason has 501 characters"},
		{"an empty pause", []string{"pause", ""}, "pause: want one duration, such as 2h, got an empty word"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := command(t, c.args...); got.code != exitUsage || !strings.Contains(got.err, c.want) || got.out != "" {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestADamagedPinsFileIsSaidAndNotReplaced(t *testing.T) {
	d := ownState(t)
	path := filepath.Join(string(d), "pins.json")
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"pins"}, {"pin", strconv.Itoa(os.Getpid())}, {"unpin", "--all"}} {
		if got := command(t, args...); got.code != exitFailed || !strings.Contains(got.err, path) {
			t.Errorf("%v: %+v", args, got)
		}
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "{" {
		t.Errorf("the file is now %q, %v", data, err)
	}
}

func TestAContainersPinIsEndedByItsName(t *testing.T) {
	d := ownState(t)
	container := strings.Repeat("c0ffee00", 8)
	pin := state.Pin{ID: container, Name: "fetch", Container: "eager_fermi"}
	if err := d.Pin(os.Geteuid(), "b0", time.Now(), pin); err != nil {
		t.Fatal(err)
	}
	if got := command(t, "pins"); !strings.Contains(got.out, "eager_fermi") || strings.Contains(got.out, "c0ffee00") {
		t.Errorf("pins: %+v", got)
	}
	if got := command(t, "unpin", "eager_ferm"); got.code != exitFailed {
		t.Errorf("half a name: %+v", got)
	}
	if got := command(t, "unpin", "eager_fermi"); got.code != exitOK || got.out != "Unpinned fetch eager_fermi.\n" {
		t.Errorf("unpin: %+v", got)
	}
}

func TestPinKeepsWhileThePolicyHasFaults(t *testing.T) {
	d := ownState(t)
	server, file := standin.Server(t, "mcp-server-pintest"), filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "reaperd", "policies.yaml")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte("version: 1\nruels: []\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	if got := command(t, "pin", server); got.code != exitOK || !strings.Contains(got.out, "Pinned mcp-server-pintest "+server) || !strings.Contains(got.err, "reaperd policy check") {
		t.Errorf("got %+v", got)
	}
	if pins, err := d.Pins("", time.Now()); err != nil || len(pins) != 1 {
		t.Errorf("pins %v, %v", pins, err)
	}
}

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/test/standin"
)

// TestExplainFindsWhatIsGoneByAllThatNamedItWhenItRan. A name that the journal does not have is no success, and where
// an engine could not be read, nothing is denied.
func TestExplainFindsWhatIsGoneByAllThatNamedItWhenItRan(t *testing.T) {
	ownState(t)
	container := did("a2", longID, "github", "killed", someDay())
	container.Rule, container.Container, container.Owner = "orphaned-containers", &journal.Container{ID: longID, Name: "eager_turing"}, ""
	write(t, did("a1", "4194305:100", "no-such-mcp", "exited", someDay(), 4194305, 4194306), container)
	for _, row := range []struct {
		subject, says string
		touched       bool
	}{
		{"4194305", "exited", true}, {"4194306", "exited", true}, {"4194305:100", "exited", true}, {"no-such-mcp", "exited", true}, {"No-Such-MCP", "exited", true},
		{longID, "killed", true}, {longID[:12], "killed", true}, {longID[:8], "killed", true}, {"eager_turing", "killed", true},
		{"4194307", "4194307", false}, {"no-such", "no-such", false}, {longID[:7], "", false}, {longID[1:9], "", false},
	} {
		got := command(t, "explain", row.subject, "--settle", "0")
		if !strings.Contains(got.out, row.says) || (got.code == exitOK) != row.touched || !row.touched && got.code != exitIncomplete && got.code != exitFailed {
			t.Errorf("%s: %+v", row.subject, got)
		}
		var document struct{ Touched, Running bool }
		asked := command(t, "explain", row.subject, "--settle", "0", "-o", "json")
		if err := json.Unmarshal([]byte(asked.out), &document); err != nil || asked.code != got.code || document.Touched != row.touched || document.Running {
			t.Errorf("%s: %v, %+v", row.subject, err, asked)
		}
	}
}

// TestAServersNameIsNotSaidToBeGoneWhileItRuns: one that means two is refused with what to type.
func TestAServersNameIsNotSaidToBeGoneWhileItRuns(t *testing.T) {
	ownState(t)
	one := standin.Server(t, "mcp-server-explained")
	if got := command(t, "explain", "mcp-server-explained", "--settle", "0"); got.code != exitOK || !strings.Contains(got.out, one) {
		t.Errorf("one of that name: %+v", got)
	}
	two := standin.Server(t, "mcp-server-explained")
	for _, word := range []string{"mcp-server-explained", "MCP-Server-Explained", "mcp-server-explai*"} {
		if got := command(t, "explain", word, "--settle", "0"); got.code != exitUsage || !strings.Contains(got.err, one) || !strings.Contains(got.err, two) {
			t.Errorf("%s means two: %+v", word, got)
		}
	}
}

// recorded are the snapshots of a recording, as files.
func recorded(t *testing.T, name string) (files []string, last *inventory.Snapshot) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var recording struct{ Snapshots []json.RawMessage }
	if err := json.Unmarshal(data, &recording); err != nil {
		t.Fatal(err)
	}
	for i, text := range recording.Snapshots {
		file := filepath.Join(t.TempDir(), strconv.Itoa(i)+".json")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, "--snapshot", file)
		if last, err = inventory.Read(strings.NewReader(string(text))); err != nil {
			t.Fatal(err)
		}
	}
	return files, last
}

// TestAnExplanationThatRestsOnAnUnreadEngineIsIncomplete as the scan of the same look is.
func TestAnExplanationThatRestsOnAnUnreadEngineIsIncomplete(t *testing.T) {
	ownState(t)
	_, look := recorded(t, "dockblind-kill9")
	run := slices.IndexFunc(look.Processes, func(p inventory.Process) bool { return len(p.Argv) > 1 && p.Argv[0] == "docker" && p.Argv[1] == "run" })
	if run < 0 {
		t.Fatal("the recording has no docker run")
	}
	for _, row := range []struct {
		source     inventory.Source
		here, gone int
	}{
		{inventory.Source{Name: inventory.SourceDocker, Status: inventory.StatusError, Reason: "nothing listens on /run/docker.sock"}, exitOK, exitIncomplete},
		{inventory.Source{Name: inventory.SourceDocker, Status: inventory.StatusAbsent, Reason: "no engine socket found"}, exitOK, exitFailed},
	} {
		blind := *look
		blind.Containers, blind.Sources = nil, []inventory.Source{look.Sources[0], row.source}
		text, err := json.Marshal(blind)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "blind.json")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		for subject, want := range map[string]int{strconv.Itoa(look.Processes[run].PID): row.here, "no-such-thing": row.gone} {
			if got := command(t, "explain", subject, "--snapshot", file, "--snapshot", file); got.code != want {
				t.Errorf("%s, docker %s: exit code %d, want %d\n%s%s", subject, row.source.Status, got.code, want, got.out, got.err)
			}
		}
	}
}

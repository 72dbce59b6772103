package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/test/standin"
)

// explainGone explains a target that does not exist, as text and as JSON.
func explainGone(t *testing.T, subject string) (text ran, document map[string]any) {
	t.Helper()
	text = command(t, "explain", subject, "--settle", "0")
	asked := command(t, "explain", subject, "--settle", "0", "-o", "json")
	if err := json.Unmarshal([]byte(asked.out), &document); err != nil || asked.code != text.code {
		t.Fatalf("%v: %+v", err, asked)
	}
	absent := exitFailed
	if strings.Contains(strings.Join(strings.Fields(text.out), " "), "could not be read") { // the tests' engine is none
		absent = exitIncomplete
	}
	if found := document["touched"] == true; (text.code == exitOK) != found || !found && text.code != absent {
		t.Errorf("exit code %d, and the journal names it: %v", text.code, found)
	}
	return text, document
}

func TestExplainFindsWhatIsGoneByAllThatNamedItWhenItRan(t *testing.T) {
	ownState(t)
	container := did("a2", longID, "github", "killed", someDay())
	container.Rule, container.Container = "orphaned-containers", &journal.Container{ID: longID, Name: "eager_turing"}
	write(t, did("a1", "4194305:100", "no-such-mcp", "exited", someDay(), 4194305, 4194306), container)
	for _, c := range []struct{ name, subject, want string }{
		{"its PID", "4194305", "no-such-mcp 4194305 (rule orphaned-servers, orphaned): exited"},
		{"a PID of its tree", "4194306", "no-such-mcp 4194305 (rule orphaned-servers, orphaned): exited"},
		{"its identity", "4194305:100", "no-such-mcp 4194305 (rule orphaned-servers, orphaned): exited"},
		{"a server's name", "no-such-mcp", "no-such-mcp 4194305 (rule orphaned-servers, orphaned): exited"},
		{"its name in any case", "No-Such-MCP", "no-such-mcp 4194305 (rule orphaned-servers, orphaned): exited"},
		{"a container's id", longID, "github eager_turing (rule orphaned-containers, orphaned): killed"},
		{"twelve digits of it", longID[:12], "github eager_turing (rule orphaned-containers, orphaned): killed"},
		{"eight digits of it", longID[:8], "github eager_turing (rule orphaned-containers, orphaned): killed"},
		{"a container's name", "eager_turing", "github eager_turing (rule orphaned-containers, orphaned): killed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, document := explainGone(t, c.subject)
			if text.code != exitOK || !strings.Contains(text.out, c.want) || document["touched"] != true {
				t.Errorf("got %+v, %v", text, document)
			}
		})
	}
	for _, c := range []struct{ name, subject, want string }{
		{"another PID", "4194307", "4194307 is not running here"},
		{"another name", "no-such", "No MCP server, session or container that can be seen here is called no-such"},
		{"too few digits of a container's id", longID[:7], longID[:7] + " is not running here"},
		{"other digits of it", longID[1:9], longID[1:9] + " is not running here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, document := explainGone(t, c.subject)
			if !strings.HasPrefix(strings.Join(strings.Fields(text.out), " "), c.want+", and reaperd never touched it, as far as its journal tells.") || document["touched"] != false {
				t.Errorf("got %+v, %v", text, document)
			}
		})
	}
}

func TestExplainNamesWhatAWrongNameOfSomethingGoneMayStandFor(t *testing.T) {
	d, is := shortState(t), running()
	is.Leavers = []serve.Leaver{{Name: "no-such-client", PID: 4194301, ID: "4194301:7", Since: someDay()}}
	is.Gone = []serve.Gone{{ID: "4194302:8", Kind: graph.KindServer, Name: "no-such-fetch", Handle: "4194302", At: someDay(), How: serve.EndedByItself}}
	answering(t, d, is)
	write(t, did("a1", "4194305:100", "no-such-mcp", "exited", someDay(), 4194305))
	for subject, near := range map[string]string{"such-mcp": "no-such-mcp", "no-sich-client": "no-such-client", "no-such-fet": "no-such-fetch"} {
		text, document := explainGone(t, subject)
		if want := "hint: reaperd explain " + near + "   the nearest name\n"; !strings.Contains(text.err, want) || document["touched"] != false {
			t.Errorf("%s: no %q in %+v", subject, want, text)
		}
	}
}

func TestExplainShowsTheEvidenceAgainstWhatIsGone(t *testing.T) {
	ownState(t)
	write(t, did("a1", "4194305:100", "no-such-mcp", "exited", someDay(), 4194305))
	text, _ := explainGone(t, "4194305")
	const want = `
  as it was seen before that:
    left by: claude-code 44
    stdin: nobody holds the other end of its stdin (orphaned, proof)
    memory: never seen before
`
	if strings.Count(text.out, want) != 1 {
		t.Errorf("want once %q, got %q", want, text.out)
	}
}

func TestExplainSaysHowFarTheJournalCouldBeRead(t *testing.T) {
	ownState(t)
	path := write(t, did("a1", "4194305:100", "no-such-mcp", "exited", someDay(), 4194305))
	if err := os.WriteFile(path, append(mustRead(t, path), "{\"time\":\"2026\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	text, document := explainGone(t, "4194306")
	if text.out != "4194306 is not running here, and reaperd never touched it, as far as its journal can be read.\n" || !strings.Contains(text.err, "1 line was cut short") {
		t.Errorf("got %+v", text)
	}
	if touched, said := document["touched"]; !said || touched != nil || document["torn_lines"] != 1.0 {
		t.Errorf("got %v", document)
	}
	if text, document := explainGone(t, "4194305"); !strings.Contains(text.out, ": exited") || document["touched"] != true {
		t.Errorf("what was found is known all the same: %+v, %v", text, document)
	}
}

func TestExplainLetsNoTextOfOthersRuleTheTerminal(t *testing.T) {
	ownState(t)
	write(t, did("a1", "4194305:100", "evil\x1b[2J\nname", "exited", someDay(), 4194305))
	if text, _ := explainGone(t, "4194305"); strings.Contains(text.out, "\x1b") || strings.Count(text.out, "\n") != 6 {
		t.Errorf("got %q", text.out)
	}
}

func TestWhatTheDaemonCouldNotWriteIsNotDenied(t *testing.T) {
	d := shortState(t)
	write(t, did("a1", "4194305:100", "no-such-mcp", "exited", someDay(), 4194305))
	is := running()
	is.JournalUnwritten = 3
	answering(t, d, is)
	const said = "; the daemon could not write 3 outcomes to its journal."
	text, document := explainGone(t, "4194306")
	if got := strings.Join(strings.Fields(text.out), " "); got != "4194306 is not running here, and the journal does not name it"+said {
		t.Errorf("explain: got %+v", text)
	}
	if touched, known := document["touched"]; !known || touched != nil {
		t.Errorf("explain: got %v", document)
	}
	got := command(t, "history", "--pid", "4194306")
	if got.code != exitOK || got.err != "No act on process 4194306 is in the journal "+journalPath("")+said+"\n" {
		t.Errorf("history: got %+v", got)
	}
	if got := command(t, "history"); !strings.Contains(got.err, "could not write 3 outcomes to its journal: what came of those acts is missing here") {
		t.Errorf("history of what is known: got %+v", got)
	}
	if historyJSON(t).Complete {
		t.Error("history: what could not be written is missing")
	}
}

func TestASessionThatHasEndedIsToldByWhatWasDoneToItsServers(t *testing.T) {
	ownState(t)
	first, second := did("a1", "4194305:100", "fetch", "exited", someDay(), 4194305), did("a2", "4194306:100", "memory", "killed", someDay(), 4194306)
	first.Owner, second.Owner = "no-such-client 4194300:7", "no-such-client 4194300:7"
	write(t, first, second)
	for _, subject := range []string{"4194300", "no-such-client", "4194300:7"} {
		got := command(t, "explain", subject, "--settle", "0")
		for _, want := range []string{"no-such-client 4194300 is not running here. What reaperd did to what it had:\n", "  fetch 4194305: exited (rule orphaned-servers)\n", "  memory 4194306: killed (rule orphaned-servers)\n"} {
			if !strings.Contains(got.out, want) || strings.Contains(got.out, "never touched") || got.code != exitOK {
				t.Errorf("%s: no %q in %+v", subject, want, got)
			}
		}
	}
	if got := command(t, "explain", "4194301", "--settle", "0"); got.code != exitFailed {
		t.Errorf("another PID: %+v", got)
	}
}

func TestASessionThatHasEndedIsToldByWhatItLeft(t *testing.T) {
	d, is := shortState(t), running()
	is.Leavers = []serve.Leaver{{Name: "no-such-client", PID: 4194301, ID: "4194301:7", Since: someDay(), Left: []serve.Left{{ID: "4194302:8", Kind: "server", Handle: "4194302"}}}}
	answering(t, d, is)
	const ended = ", left 1 server: 4194302.\n"
	for _, subject := range []string{"no-such-client", "4194301"} {
		if got := command(t, "explain", subject, "--settle", "0"); got.code != exitOK || !strings.Contains(got.out, "no-such-client 4194301 ended 20") || !strings.Contains(got.out, ended) {
			t.Errorf("%s: %+v", subject, got)
		}
	}
	if got := command(t, "explain", "4194303", "--settle", "0"); got.code != exitFailed || strings.Contains(got.out, "no-such-client") {
		t.Errorf("what it did not leave: %+v", got)
	}
}

func TestAServersNameIsNotSaidToBeGoneWhileItRuns(t *testing.T) {
	ownState(t)
	one := standin.Server(t, "mcp-server-explained")
	name := pinnableName(t, one)
	if got := command(t, "explain", name, "--settle", "0"); got.code != exitOK || !strings.Contains(got.out, one) || strings.Contains(got.out, "not running") {
		t.Errorf("one of that name: %+v", got)
	}
	two := standin.Server(t, "mcp-server-explained")
	for _, word := range []string{name, strings.ToUpper(name), name[:len(name)-1] + "*"} {
		if got := command(t, "explain", word, "--settle", "0"); got.code != exitUsage || !strings.Contains(got.err, word+": 2 run here: ") || !strings.Contains(got.err, one+" (of ") || !strings.Contains(got.err, two+" (of ") {
			t.Errorf("%s means two: %+v", word, got)
		}
	}
}

// What cannot be seen may be there: an engine that does not answer is told, and is no "never".
func TestExplainOfAContainerThatCannotBeSeenSaysSo(t *testing.T) {
	ownState(t)
	t.Setenv("DOCKER_HOST", "unix:///run/reaperd-test/no-engine.sock")
	got := command(t, "explain", "left", "--settle", "0")
	const want = "No MCP server, session or container that can be seen here is called left, and reaperd never touched it, as far as its journal tells. Not everything could be looked at: docker could not be read: "
	if got.code != exitIncomplete || !strings.HasPrefix(strings.Join(strings.Fields(got.out), " "), want) {
		t.Errorf("got %+v", got)
	}
}

func TestExplainOfAPinnedContainerThatCannotBeSeenSaysWhatIsKnown(t *testing.T) {
	d := ownState(t)
	t.Setenv("DOCKER_HOST", "unix:///run/reaperd-test/no-engine.sock")
	if err := d.Pin("", someDay(), state.Pin{ID: longID, Name: "no-such-notes", Container: "no-such-box", At: someDay()}); err != nil {
		t.Fatal(err)
	}
	for _, subject := range []string{"no-such-box", "no-such-notes", longID[:12]} {
		got := command(t, "explain", subject, "--settle", "0")
		const want = "no-such-notes no-such-box cannot be seen now, and reaperd never touched it, as far as its journal tells. It is pinned; reaperd unpin no-such-box ends that. It was there when it was pinned, "
		if got.code != exitIncomplete || !strings.HasPrefix(strings.Join(strings.Fields(got.out), " "), want) || strings.Contains(got.err, "nearest") {
			t.Errorf("%s: %+v", subject, got)
		}
	}
}

// TestAnExplanationThatRestsOnAnUnreadEngineIsIncomplete as the scan of the same look is.
func TestAnExplanationThatRestsOnAnUnreadEngineIsIncomplete(t *testing.T) {
	ownState(t)
	look := recorded(t, "dockblind-kill9").View.Graph.Snapshot
	run := slices.IndexFunc(look.Processes, func(p inventory.Process) bool { return len(p.Argv) > 1 && p.Argv[0] == "docker" && p.Argv[1] == "run" })
	if run < 0 {
		t.Fatal("the recording has no docker run")
	}
	for _, row := range []struct {
		source inventory.Source
		want   int
	}{
		{inventory.Source{Name: inventory.SourceDocker, Status: inventory.StatusError, Reason: "nothing listens on /run/docker.sock"}, exitIncomplete},
		{inventory.Source{Name: inventory.SourceDocker, Status: inventory.StatusAbsent, Reason: "no engine socket found"}, exitOK},
	} {
		blind := *look
		blind.Containers, blind.Sources = nil, []inventory.Source{look.Sources[0], row.source}
		blind.Processes = append(slices.Clone(look.Processes), inventory.Process{PID: 88886, Start: 1, Comm: "mcp-server-x", ContainerID: strings.Repeat("c0", 32)})
		text, err := json.Marshal(blind)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "blind.json")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		pid := strconv.Itoa(look.Processes[run].PID)
		if got := command(t, "explain", pid, "--snapshot", file, "--snapshot", file); got.code != row.want || !strings.Contains(got.out, "decide it  docker ") {
			t.Errorf("docker %s: exit code %d, want %d\n%s%s", row.source.Status, got.code, row.want, got.out, got.err)
		}
		if got := command(t, "explain", "88886", "--snapshot", file, "--snapshot", file); got.code != row.want || strings.Contains(got.out, "is no MCP server") != (row.want == exitOK) {
			t.Errorf("inside a container, docker %s: exit code %d, want %d\n%s%s", row.source.Status, got.code, row.want, got.out, got.err)
		}
	}
}

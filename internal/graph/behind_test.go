package graph

import (
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/catalogue"
)

// TestWhatALeakedListenerOrAJobHasStandsBehindIt: somebody may still call the one, and the other may
// be at work. The same servers without either stand behind nothing.
func TestWhatALeakedListenerOrAJobHasStandsBehindIt(t *testing.T) {
	const (
		init = "1 0 1 0 null null init\n"
		kept = "52 orphaned behind 50:1000"
		gone = "52 orphaned behind nobody"
	)
	for _, row := range []struct{ world, who, want string }{
		{"a gateway on a port, and its server", "50 1 50 10 p1! p2! docker-mcp gateway run # listening clients=0\n52 50 50 11 p3@50 p4@50 mcp-server-fetch", kept},
		{"a gateway whose port cannot be read", "50 1 50 10 p1! p2! docker-mcp gateway run # listening?\n52 50 50 11 p3@50 p4@50 mcp-server-fetch", kept},
		{"a gateway, before its server on a port, which reads its end", "52 1 52 10 p1! p2! docker-mcp gateway run\n50 52 52 10 p3@52 p4@52 mcp-server-fetch # listening clients=0", kept},
		{"a gateway, and its server without a port", "52 1 52 10 p1! p2! docker-mcp gateway run\n50 52 52 10 p3@52 p4@52 mcp-server-fetch", gone},
		{"a gateway without a port", "50 1 50 10 p1! p2! docker-mcp gateway run\n52 50 50 11 p3@50 p4@50 mcp-server-fetch", gone},
		{"a job that is called like a server has an end of it", "50 1 50 10 p1! p2! python3 /home/dev/mcp_triage/main.py\n52 1 52 11 p3@50,52 p4@52 mcp-server-fetch", kept},
		{"a known server has an end of it", "50 1 50 10 p1! p2! mcp-server-time\n52 1 52 9 p3@50 p4@50 mcp-server-fetch", gone},
		{"two that hold each other, behind the listener that has one", "50 1 50 10 p1! p2! docker-mcp gateway run # listening clients=0\n51 50 50 11 p5@50 p6@50 mcp-server-time\n52 1 52 10 p3@51 p4@51 mcp-server-fetch", kept},
	} {
		g := Correlate(nil, look(t, init+row.who), Options{Catalogue: catalogue.New()})
		got := ""
		for _, target := range g.Targets {
			if target.Root != nil && target.Root.PID == 52 {
				got = "52 " + target.Finding.String() + " behind " + strings.Join(append(target.Behind, map[bool]string{true: "nobody"}[len(target.Behind) == 0]), "")
			}
		}
		if got != row.want {
			t.Errorf("%s: %s, want %s", row.world, got, row.want)
		}
	}
}

func TestALeakedHolderIsNamed(t *testing.T) {
	for world, want := range map[string]string{
		"50 1 50 10 p1! p2! mcp-server-time\n52 1 52 9 p3@50 p4@50 mcp-server-fetch":                                "50:1000",
		"44 1 44 0 tty tty claude\n50 1 50 10 p1! p2! mcp-server-time\n52 1 52 9 p3! p4! mcp-server-fetch":          "",
		"44 1 44 0 tty tty claude\n50 44 50 10 p1@44 p2@44 mcp-server-time\n52 1 52 9 p3@50 p4@50 mcp-server-fetch": "",
	} {
		g := Correlate(nil, look(t, "1 0 1 0 null null init\n"+world), Options{Catalogue: catalogue.New()})
		for _, target := range g.Targets {
			if got := strings.Join(target.Holders, " "); target.Root.PID == 52 && got != want {
				t.Errorf("%s: held by %q, want %q", world, got, want)
			}
		}
	}
}

// TestAPipelineIntoAFileMayBeABatch: it has ended its input before it has its answers.
func TestAPipelineIntoAFileMayBeABatch(t *testing.T) {
	for log, isJob := range map[string]bool{"tee /home/dev/answers.log": true, "tee": false, "tee /dev/null": false, "cat": false,
		"awk {print>\"answers\"}": true, "logger": true, "grep answer": false} {
		world := "1 0 1 0 null null init\n52 1 50 10 p1! p2@53 mcp-server-fetch\n53 1 50 10 p2@52 p3! " + log
		g := Correlate(nil, look(t, world), Options{Catalogue: catalogue.New()})
		if len(g.Targets) != 1 || g.Targets[0].Job.IsZero() == isJob || g.Targets[0].Finding != FindingOrphaned {
			t.Errorf("%s: %+v", log, g.Targets)
		}
	}
}

// TestServersThatWereLetGoTogether: a client that marks none of its ends to be closed leaves those of
// the older server in the younger. Once it has closed its own nobody else speaks to either.
func TestServersThatWereLetGoTogether(t *testing.T) {
	const (
		client = "1 0 1 0 null null init\n44 1 44 0 tty tty claude\n"
		first  = "52 44 44 10 p1@52,53 p2@52,53 mcp-server-fetch\n"
	)
	for _, row := range []struct{ world, who, want string }{
		{"the client has let go of both", first + "53 44 44 11 p3@53 p4@53 mcp-server-time # shares=52", "52 disconnected, 53 disconnected"},
		{"it speaks to the younger", first + "53 44 44 11 p3@44 p4@44 mcp-server-time # shares=52", "52 none, 53 none"},
		{"it has a pipe to the younger beside its stdio", first + "53 44 44 11 p3@53 p4@53 mcp-server-time # shares=44,52", "52 none, 53 none"},
		{"somebody else speaks to the older", "60 1 60 0 tty tty agent\n52 44 44 10 p1@52,53,60 p2@52,53 mcp-server-fetch\n53 44 44 11 p3@53 p4@53 mcp-server-time # shares=52", "52 none, 53 none"},
	} {
		g := Correlate(nil, look(t, client+row.who), Options{Catalogue: catalogue.New()})
		var got []string
		for _, target := range g.Targets {
			if target.Kind == KindServer {
				got = append(got, strings.Split(target.ID, ":")[0]+" "+target.Finding.String())
			}
		}
		if text := strings.Join(got, ", "); text != row.want {
			t.Errorf("%s: %s, want %s", row.world, text, row.want)
		}
	}
}

package graph

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/inventory"
)

func TestWhatIsLeftOpenIsNamed(t *testing.T) {
	one, nameless := Outsider{&inventory.Process{PID: 170, Comm: "tool"}, "apart"}, Outsider{&inventory.Process{PID: 171}, "apart"}
	browser := Outsider{&inventory.Process{PID: 1265, Comm: "playwright-mcp", Argv: []string{"/usr/bin/chromium", "https://login.example"}}, "a person's browser"}
	for _, row := range []struct {
		world string
		left  []Outsider
		want  string
	}{
		{"nothing", nil, ""},
		{"a browser of the person's own, with the kernel's name of what started it", []Outsider{browser}, "left open: chromium 1265 (a person's browser)"},
		{"a process of which the kernel's name alone is known", []Outsider{one}, "left open: tool 170 (apart)"},
		{"a process without a name", []Outsider{nameless}, "left open: process 171 (apart)"},
		{"many", []Outsider{browser, one, one, one, one}, "left open: chromium 1265 (a person's browser), tool 170 (apart), tool 170 (apart), 2 more"},
	} {
		if got := (&Target{Left: row.left}).LeftOpen(); got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}

// TestWhatIsLeftOfAServerThatHasEnded: it goes if it serves by itself; a helper is only
// likely to be left; whatever else was below it is nobody's to end.
// TestADaemonThatAServerHasStartedStays: it has a session of its own, and its stdio is elsewhere.
func TestADaemonThatAServerHasStartedStays(t *testing.T) {
	const world = "1 0 1 0 null null init\n56 1 44 2 pa! pb! node /x/x-mcp\n"
	for daemon, want := range map[string]string{
		"58 56 58 3 null file node /y/y-mcp": "56 orphaned gone\n58 none unknown",
		"58 56 44 3 null null node /y/y-mcp": "56 orphaned gone",
		"58 56 58 3 pa! pb! node /y/y-mcp":   "56 orphaned gone",
		"58 56 58 3 pa! file node /y/y-mcp":  "56 none unknown",
	} {
		g := correlate(t, time.Minute, world+daemon)
		expect(t, g, want)
		if left := g.Targets[0].LeftOpen(); strings.Contains(want, "58") != (left == "left open: node 58 (a daemon)") {
			t.Errorf("%s: %q", daemon, left)
		}
	}
}

func TestWhatIsLeftOfAServerThatHasEnded(t *testing.T) {
	const init = "1 0 1 0 null null init\n"
	for _, c := range []struct{ name, before, after, want string }{
		{"an editor that it opened over pipes", `
			44 1  44 1 tty tty claude
			58 44 44 3 sa@44 sb@44 node /x/x-mcp
			62 58 44 5 pe@58 pf@58 godot -e`, `
			62 1  44 5 pe! pf! godot -e`, ""},
		{"a program with a display, by a name that nobody knows", `
			44 1  44 1 tty tty claude
			58 44 44 3 sa@44 sb@44 node /x/x-mcp
			62 58 44 5 pe@58 pf@58 sketcher # display`, `
			62 1  44 5 pe! pf! sketcher`, ""},
		{"an everyday browser that has inherited its pipes", `
			44 1  44 1 tty tty claude
			58 44 44 3 sa@44 sb@44 node /x/x-mcp
			62 58 62 5 sa@44 sb@44 firefox`, `
			62 1  62 5 sa! sb! firefox`, ""},
		{"a worker that shares nothing with it", `
			44 1  44 1 tty tty claude
			58 44 44 3 sa@44 sb@44 node /x/x-mcp
			62 58 44 5 null null worker`, `
			62 1  44 5 null null worker`, ""},
		{"a language server: likely", `
			44 1  44 1 tty tty claude
			58 44 44 3 sa@44 sb@44 node /x/x-mcp
			62 58 44 5 pe@58 pf@58 jdtls`, `
			62 1  44 5 pe! pf! jdtls`, "62 orphaned gone likely"},
		{"a helper that listens: somebody else may use it", `
			44 1  44 1 tty tty claude
			58 44 44 3 sa@44 sb@44 node /x/x-mcp
			62 58 44 5 pe@58 pf@58 broker`, `
			62 1  44 5 pe! pf! broker # listening`, ""},
		{"a browser that it drove", `
			44 1  44 1 tty tty claude
			58 44 44 3 sa@44 sb@44 node /x/x-mcp
			62 58 62 5 pe@58 pf@58 firefox -juggler-pipe`, `
			62 1  62 5 pe! pf! firefox -juggler-pipe`, "62 orphaned gone"},
		{"a job that it ran by a shell: likely", `
			44 1  44 1 tty tty claude
			58 44 44 3 sa@44 sb@44 node /x/x-mcp
			62 58 44 5 pe@58 pf@58 sh -c make
			64 62 44 5 pe@58 pf@58 make`, `
			62 1  44 5 pe! pf! sh -c make
			64 62 44 5 pe! pf! make`, "62 orphaned gone likely"},
		{"what ran behind the wrapper", `
			44 1  44 1 tty tty claude
			56 44 44 2 sa@44 sb@44 sh -c x-mcp
			58 56 44 3 sa@44 sb@44 run`, `
			58 1  44 3 sa! sb! run`, "58 orphaned gone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := correlate(t, time.Minute, init+c.before, init+c.after, init+c.after)
			got := ""
			for _, target := range g.Targets {
				got += firstWord(target.ID) + " " + says(target)
				if target.Likely {
					got += " likely"
				}
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestAJobIsOnlyLikelyToBeAServer: sessions wire their jobs as they wire their servers. Of
// a server there are three copies at once sooner or later.
func TestAJobIsOnlyLikelyToBeAServer(t *testing.T) {
	const init = "1 0 1 0 null null init\n44 1 44 1 tty tty claude\n"
	for _, c := range []struct {
		name, before string
		likely       bool
	}{
		{"one job", "58 44 44 3 sa@44 sb@44 python3 train.py", true},
		{"two copies", "58 44 44 3 sa@44 sb@44 python3 train.py\n59 44 44 4 sc@44 sd@44 python3 train.py", true},
		{"three copies", "58 44 44 3 sa@44 sb@44 python3 train.py\n59 44 44 4 sc@44 sd@44 python3 train.py\n60 44 44 4 se@44 sf@44 python3 train.py", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := correlate(t, time.Minute, init+c.before, "1 0 1 0 null null init\n58 1 44 3 sa! sb! python3 train.py")
			if len(g.Targets) != 1 || !g.Targets[0].ByShape || g.Targets[0].Likely != c.likely || g.Targets[0].Finding != FindingOrphaned {
				t.Errorf("%+v", g.Targets)
			}
		})
	}
}

// TestWhatASessionAlsoLeftIsListed: nothing acts on it.
func TestWhatASessionAlsoLeftIsListed(t *testing.T) {
	const before = `
		1  0  1  0 null null init
		44 1  44 1 tty  tty  claude
		58 44 44 3 sa@44 sb@44 node /x/x-mcp
		62 58 44 5 pe@58 pf@58 godot -e
		70 44 70 4 null file sh -c next
		71 70 70 4 null file next-server
		80 1  80 2 null file unrelated`
	const after = `
		1  0  1  0 null null init
		62 1  44 5 pe! pf! godot -e
		71 1  70 4 null file next-server
		80 1  80 2 null file unrelated`
	g := correlate(t, time.Minute, before, after, after)
	if len(g.Targets) > 0 || len(g.AlsoLeft) != 1 || g.AlsoLeft[0].Session.Name != "claude" || len(g.AlsoLeft[0].Things) != 2 {
		t.Errorf("targets %v, also left %+v", g.Targets, g.AlsoLeft)
	}
	if alive := correlate(t, time.Minute, before, before); len(alive.AlsoLeft) > 0 {
		t.Errorf("the session lives, and has left %+v", alive.AlsoLeft)
	}
	later := Correlate(nil, look(t, after), Options{Catalogue: catalogue.New(), Began: g.Began()})
	if len(later.AlsoLeft) != 1 || len(later.AlsoLeft[0].Things) != 2 || later.AlsoLeft[0].Session.Name != "claude" {
		t.Errorf("a daemon that starts again tells %+v", later.AlsoLeft)
	}
	other := strings.Replace(after, "62 1  44 5", "62 1  44 6", 1) // another process of that number
	if later := Correlate(nil, look(t, other), Options{Catalogue: catalogue.New(), Began: g.Began()}); len(later.AlsoLeft) != 1 || len(later.AlsoLeft[0].Things) != 1 {
		t.Errorf("of another process a daemon that starts again tells %+v", later.AlsoLeft)
	}
}

// TestWhatIsAlsoLeftIsCalledAsItsUserWould: a shell and a launcher are what they run.
func TestWhatIsAlsoLeftIsCalledAsItsUserWould(t *testing.T) {
	const claude = "1 0 1 0 null null init\n44 1 44 1 tty tty claude\n"
	for _, row := range []struct{ says, before, after, want string }{
		{"what a shell's line runs", "50 44 50 2 null file bash -c unalias&&eval\n51 50 50 3 null file node /w/node_modules/.bin/vite preview",
			"50 1 50 2 null file bash -c unalias&&eval\n51 50 50 3 null file node /w/node_modules/.bin/vite preview", "vite preview"},
		{"a shell that runs nothing, and no word of its line", "50 44 50 2 null file bash -c unalias&&eval", "50 1 50 2 null file bash -c unalias&&eval", "bash"},
		{"a language server that its session spoke to", "50 44 44 2 sa@44 sb@44 gopls -mode=stdio", "50 1 44 2 sa! sb! gopls -mode=stdio", "gopls"},
		{"one that a launcher runs", "50 44 44 2 sa@44 sb@44 npm exec pyright-langserver --stdio\n51 50 44 3 sa@44 sb@44 node /x/.bin/pyright-langserver --stdio",
			"50 1 44 2 sa! sb! npm exec pyright-langserver --stdio\n51 50 44 3 sa! sb! node /x/.bin/pyright-langserver --stdio", "pyright-langserver"},
		{"a hook", "50 44 44 2 sa@44 sb@44 python3 /home/dev/.claude/hooks/lint.py", "50 1 44 2 sa! sb! python3 /home/dev/.claude/hooks/lint.py", "lint"},
		{"an MCP server in front of a language server is one", "50 44 44 2 sa@44 sb@44 mcp-language-server --lsp gopls", "50 1 44 2 sa! sb! mcp-language-server --lsp gopls", ""},
		{"a service", "50 44 50 2 null file vite", "50 1 50 2 null file vite # service=vite.service", ""},
	} {
		g := Correlate(nil, look(t, claude+row.before), Options{Catalogue: catalogue.New()})
		g = Correlate(g, look(t, "1 0 1 0 null null init\n"+row.after), Options{Catalogue: catalogue.New()})
		names := ""
		for _, left := range g.AlsoLeft {
			for _, one := range left.Things {
				names += one.Name
			}
		}
		if isServer := len(g.Targets) > 0; names != row.want || isServer != (strings.HasPrefix(row.says, "an MCP server")) {
			t.Errorf("%s: called %q, want %q; %d targets", row.says, names, row.want, len(g.Targets))
		}
	}
}

// TestWhatAToolLeftListeningIsFoundAndNeverProven: it is spoken to over its port alone.
func TestWhatAToolLeftListeningIsFoundAndNeverProven(t *testing.T) {
	const before = "1 0 1 0 null null init\n44 1 44 1 tty tty claude\n50 44 50 2 null file bash -c unalias&&eval\n51 50 50 3 null file node /x/web-mcp # listening\n"
	for _, row := range []struct{ says, after, want string }{
		{"its shell lives", "50 1 50 2 null file bash -c unalias&&eval\n51 50 50 3 null file node /x/web-mcp # listening", "ambiguous gone unproven"},
		{"its shell has ended", "51 1 50 3 null file node /x/web-mcp # listening", "ambiguous gone unproven"},
		{"somebody is connected", "51 1 50 3 null file node /x/web-mcp # listening clients=1", "none live in-use"},
		{"whether somebody is cannot be told", "51 1 50 3 null file node /x/web-mcp # listening? clients?", "none"},
		{"its session lives", "44 1 44 1 tty tty claude\n50 44 50 2 null file bash -c unalias&&eval\n51 50 50 3 null file node /x/web-mcp # listening", "none live"},
		{"it does not listen", "51 1 50 3 null file node /x/web-mcp", "none"},
		{"somebody holds its stdout", "51 1 50 3 null pa@60 node /x/web-mcp # listening\n60 1 60 4 pa@51 null less", "none live"},
		{"a service manager has it", "51 1 50 3 null file node /x/web-mcp # listening service=web.service", "none live service"},
	} {
		g := correlate(t, time.Minute, before, "1 0 1 0 null null init\n"+row.after)
		if len(g.Targets) != 1 || !strings.HasPrefix(says(g.Targets[0]), row.want) {
			t.Errorf("%s: want %q, got %d targets, %q", row.says, row.want, len(g.Targets), says(g.Targets[0]))
		}
	}
}

// TestADetachedContainerIsOfTheSessionThatStartedIt: a look must have seen who did.
func TestADetachedContainerIsOfTheSessionThatStartedIt(t *testing.T) {
	const (
		init   = "1 0 1 0 null null init\n"
		claude = init + "44 1 44 1 tty tty claude\n"
		run    = "50 44 44 2 null null docker run -d --name db postgres\n"
	)
	box := func(name, image string, start int) string {
		return fmt.Sprintf("container %s %s %d name=%s detached\n", strings.Repeat("d", 64), image, start, name)
	}
	for _, row := range []struct {
		says  string
		looks []string
		left  int
	}{
		{"it came while its docker run -d was seen", []string{claude + run + box("db", "postgres", 3), init + box("db", "postgres", 3)}, 1},
		{"it came between two looks", []string{claude + run, claude + box("db", "postgres", 3), init + box("db", "postgres", 3)}, 1},
		{"its session lives", []string{claude + run + box("db", "postgres", 3), claude + box("db", "postgres", 3)}, 0},
		{"no look saw its docker run -d", []string{claude, claude + box("db", "postgres", 3), init + box("db", "postgres", 3)}, 0},
		{"it has another name", []string{claude + run + box("other", "postgres", 3), init + box("other", "postgres", 3)}, 0},
		{"it has another image", []string{claude + run + box("db", "redis", 3), init + box("db", "redis", 3)}, 0},
		{"it is older", []string{claude + run + box("db", "postgres", 1), init + box("db", "postgres", 1)}, 0},
		{"two may have started it", []string{claude + strings.Replace(run, "--name db ", "", 1) + strings.Replace(strings.Replace(run, "--name db ", "", 1), "50", "51", 1) +
			box("quirky_noyce", "postgres", 3), init + box("quirky_noyce", "postgres", 3)}, 0},
		{"a person's shell started it", []string{init + "44 1 44 1 tty tty bash\n" + run + box("db", "postgres", 3), init + box("db", "postgres", 3)}, 0},
	} {
		g := correlate(t, time.Minute, row.looks...)
		found := 0
		for _, left := range g.AlsoLeft {
			found += len(left.Containers)
		}
		if found != row.left {
			t.Errorf("%s: %d containers left, want %d", row.says, found, row.left)
		}
	}
}

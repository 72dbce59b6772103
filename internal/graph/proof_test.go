package graph

import (
	"slices"
	"testing"
	"time"
)

// What a live session uses is not condemned by what is only half known of it.
func TestALiveRunnerKeepsItsContainerHoweverItNamesIt(t *testing.T) {
	const session = `
			1  0  1  0 null null init
			44 1  44 1 tty  tty  claude
`
	for _, c := range []struct{ name, world, want string }{
		{"an empty last argument", `
			50 44 44 2 sa@44 sb@44 docker run -i --rm x-mcp --token # emptyarg
			container c1 x-mcp 3 command=--token,`,
			"50 none live\nc1 none live"},
		{"the engine's command has the entrypoint before the arguments", `
			50 44 44 2 sa@44 sb@44 docker run -i --rm x-mcp serve
			container c1 x-mcp 3 command=node,main.js,serve`,
			"50 none live\nc1 none live"},
		{"as much of an id as is only one's", `
			50 44 44 2 sa@44 sb@44 docker attach ab
			container abcd x-mcp 1
			container acde x-mcp 1 detached`,
			"50 none live\nabcd none live\nacde none unknown"},
		{"a name with a slash", `
			50 44 44 2 sa@44 sb@44 docker attach /tool
			container c1 x-mcp 1 name=tool`,
			"50 none live\nc1 none live"},
		{"docker exec in a container whose own runner is gone", `
			50 44 44 9 sa@44 sb@44 docker exec -i tool x
			container c1 x-mcp 1 name=tool`,
			"50 none live\nc1 none live"},
		{"an attach to what cannot be told", `
			50 44 44 2 sa@44 sb@44 docker attach a
			container ab x-mcp 1
			container ac x-mcp 1`,
			"50 none live\nab ambiguous unknown unproven\nac ambiguous unknown unproven"},
		{"a runner of its image whose words the engine does not know", `
			50 44 44 2 sa@44 sb@44 docker run -i --rm x-mcp --key secret
			container c1 x-mcp 3 command=--key,***`,
			"50 none live\nc1 ambiguous unknown unproven"},
		{"which says nothing of another image", `
			50 44 44 2 sa@44 sb@44 docker run -i --rm x-mcp --key secret
			container c1 y-mcp 3`,
			"50 none live\nc1 orphaned gone"},
		{"nor does an attach to a service of another kind", `
			50 44 44 2 sa@44 sb@44 docker attach db
			container c1 x-mcp 3
			container c2 db 3 name=db detached`,
			"50 none live\nc1 orphaned gone"},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, correlate(t, time.Minute, session+c.world, session+c.world), c.want) })
	}
}

func TestARunnerIsKeptWhileItsContainerMayStay(t *testing.T) {
	const runner = `
			1  0  1  0 null null init
			50 1  44 2 sa! sb! docker run -i --rm x-mcp
`
	for _, c := range []struct{ name, before, now, want string }{
		{"runners of the engine's containers may stand elsewhere: this one needs the only one that it can have", `
			source docker hidden-runners
			container c1 x-mcp 3`, `
			source docker hidden-runners
			container c1 x-mcp 3`,
			"50 orphaned gone\nc1 orphaned gone"},
		{"they may, and its connection to the engine cannot be told", `
			source docker hidden-runners
			source docker unread-connections
			container c1 x-mcp 3`, `
			source docker hidden-runners
			source docker unread-connections
			container c1 x-mcp 3`,
			"50 orphaned gone engine\nc1 none unknown"},
		{"not every container could be read", `
			source docker partial`, `
			source docker partial`,
			"50 orphaned gone engine"},
		{"the engine did not answer in the look before", `
			source docker error`, ``,
			"50 orphaned gone engine"},
		{"the engine answered twice, and has none that could be its", ``, ``,
			"50 orphaned gone"},
		{"a service of the same image is not its", `
			container c1 x-mcp 3 detached`, `
			container c1 x-mcp 3 detached`,
			"50 orphaned gone\nc1 none unknown"},
		{"nor is one that compose manages", `
			container c1 x-mcp 3 label.com.docker.compose.project=p`, `
			container c1 x-mcp 3 label.com.docker.compose.project=p`,
			"50 orphaned gone\nc1 none unknown"},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, correlate(t, time.Minute, runner+c.before, runner+c.now), c.want) })
	}
}

// A docker run outlives its container by a moment. It is kept for another container that may be
// its, unless a look saw it with its own.
func TestARunnerWhoseContainerHasEndedIsKeptForAnother(t *testing.T) {
	const runners = `
		1  0  1  0 null null init
		44 1  44 1 tty  tty  claude
		50 1  45 2 sa! sb! docker run -i --rm x-mcp
		60 44 44 20 sc@44 sd@44 docker run -i --rm x-mcp`
	const other = `
		container c2 x-mcp 21 name=vibrant`
	const kept = "container vibrant may be its and stays, and ending this docker run would leak it"
	for before, want := range map[string]string{"\n\t\tcontainer c1 x-mcp 3": "", "": kept} {
		g := correlate(t, time.Minute, runners+before+other, runners+other)
		i := slices.IndexFunc(g.Targets, func(target *Target) bool { return target.Root != nil && target.Root.PID == 50 })
		got := ""
		for _, veto := range g.Targets[i].Vetoes {
			got += veto.Text
		}
		if got != want {
			t.Errorf("before %q: kept by %q, want %q", before, got, want)
		}
	}
}

func TestAContainerThatAnEngineDoesNotTellOfHasNotEnded(t *testing.T) {
	const runner = `
		1  0  1  0 null null init
		50 1  45 2 sa! sb! docker run -i --rm x-mcp`
	const want = "its container could not be read, and ending it is what leaks that"
	for _, source := range []string{"error", "partial"} {
		g := correlate(t, time.Minute, runner+"\n\t\tcontainer c1 x-mcp 3", runner+"\n\t\tsource docker "+source)
		i := slices.IndexFunc(g.Targets, func(target *Target) bool { return target.Root != nil && target.Root.PID == 50 })
		if i < 0 || len(g.Targets[i].Vetoes) != 1 || g.Targets[i].Vetoes[0].Text != want {
			t.Errorf("%s: %+v, want one veto: %s", source, g.Targets, want)
		}
	}
}

func TestAContainerWhoseRunnerAStrangerLetGoOf(t *testing.T) {
	const world = `
			1  0  1  0 null null init
			40 1  40 1 tty  tty  bash
			50 40 40 2 sa! sb! docker run -i --rm x-mcp
			container c1 x-mcp 3`
	expect(t, correlate(t, time.Minute, world, world), "50 disconnected live\nc1 orphaned live unproven")
}

func TestAServerThatAnOlderServerHoldsIsItsAndNotDisconnected(t *testing.T) {
	const before = `
			1  0  1  0 null null init
			44 1  44 1 tty tty claude
			57 44 44 2 sa@44 sb@44 mcp-proxy
			58 57 44 3 pc@57 pd@57 npm exec x-mcp
			59 58 44 4 pc@57 pd@57 node /x/x-mcp`
	const after = `
			1  0  1  0 null null init
			44 1  44 1 tty tty claude
			57 44 44 2 sa@44 sb@44 mcp-proxy
			59 1  44 4 pc@57 pd@57 node /x/x-mcp`
	expect(t, correlate(t, time.Minute, before, after, after), "57 none live")
	expect(t, correlate(t, time.Minute, after, after), "57 none live\n59 none live")
}

// A word keeps, and never condemns: what it keeps was not seen in its owner's hands.
func TestAnOwnerByWordAloneNeverDisconnects(t *testing.T) {
	for name, attribute := range map[string]string{
		"declared": "env.REAPERD_OWNER=44:100", "by OpenCode": "env.OPENCODE_PID=44", "by the system": "forker=44:100",
	} {
		t.Run(name, func(t *testing.T) {
			world := `
				1  0  1  0 null null init
				44 1  44 1 tty tty opencode
				58 1  58 3 sa! sb! node /x/x-mcp # ` + attribute
			expect(t, correlate(t, time.Minute, world, world, world), "58 none live")
		})
	}
}

func TestAGatewayOnATerminalAndItsPluginAreOne(t *testing.T) {
	for _, stdin := range []string{"tty", "null"} {
		g := correlate(t, 0, `
			1  0  1  0 null null init
			40 1  40 1 tty  tty  bash
			50 40 50 2 `+stdin+` tty docker mcp gateway run --transport streaming
			51 50 50 2 `+stdin+` tty docker-mcp gateway run --transport streaming
			52 51 50 3 pc@51 pd@51 docker run -i --rm x-mcp`)
		expect(t, g, "50 none live\n52 none live")
	}
	t.Run("one that another speaks to is its own", func(t *testing.T) {
		expect(t, correlate(t, 0, `
			1  0  1  0 null null init
			40 1  40 1 tty  tty  bash
			50 40 50 2 tty tty docker mcp gateway run
			51 50 50 2 pa@50 pb@50 docker mcp gateway run`), "50 none live\n51 none live")
	})
}

func TestWhatIsBelowAnOrphanedGatewayGoesWithIt(t *testing.T) {
	g := correlate(t, 0, `
			1  0  1  0 null null init
			50 1  44 2 pa! pb! docker mcp gateway run
			52 50 44 3 pc@50 pd@50 docker run -i --rm x-mcp
			container c1 x-mcp 3`)
	gateway, found := g.Target("50:200")
	if !found || len(gateway.Below) != 1 || gateway.Below[0] != "52:300" {
		t.Errorf("below it: %v", gateway)
	}
}

func TestAServerOfThePolicysHasTheNameThatItGives(t *testing.T) {
	g := correlate(t, 0, `
			1  0  1  0 null null init
			58 1  58 3 sa! sb! messenger --stdio`)
	if name := g.Targets[0].Name; name != "messages" {
		t.Errorf("it is called %q", name)
	}
}

// supergateway --stateful keeps one tree for every client that ever came.
func TestWhatAStatefulGatewayKeepsPerClientAreCopies(t *testing.T) {
	const world = `
			1  0  1  0 null null init
			50 1  50 2 null file docker mcp gateway run # listening
			60 50 60 3 sa@50 sb@50 sh -c npx-x-mcp # io=10 cpu=1
			61 60 60 3 sa@50 sb@50 node /x/x-mcp # io=10 cpu=1
			70 50 70 40 sc@50 sd@50 sh -c npx-x-mcp # io=10 cpu=1
			71 70 70 40 sc@50 sd@50 node /x/x-mcp # io=10 cpu=1`
	expect(t, correlate(t, time.Minute, world, world), "50 none unknown\n60 duplicate live\n70 none live")
}

func TestAMarkOfAnotherNamespaceNamesNobodyWhoIsGone(t *testing.T) {
	for mark, want := range map[string]string{
		"44:100:b0":            "REAPERD_OWNER names a process that is gone; markers are inherited, so this proves nothing",
		"44:100:b0:4026532391": "REAPERD_OWNER names a process that cannot be judged from here",
		"anybody":              "REAPERD_OWNER names a process that cannot be judged from here",
	} {
		g := correlate(t, 0, `
			1  0  1  0 null null init
			58 1  58 3 sa! sb! node /x/x-mcp # env.REAPERD_OWNER=`+mark)
		expect(t, g, "58 orphaned gone")
		target, _ := g.Target("58:300")
		told := slices.ContainsFunc(target.Evidence, func(e Evidence) bool { return e.Check == CheckDeclared && e.Text == want && !e.Proof })
		if !told {
			t.Errorf("%s: not told %q: %+v", mark, want, target.Evidence)
		}
	}
}

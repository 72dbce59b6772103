package graph

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
)

func TestWhoOwnsAServer(t *testing.T) {
	for _, c := range []struct{ name, world, want string }{
		{"a chain below its session is owned", `
			1  0  1  0 null null init
			44 1  44 1 tty  tty  claude
			56 44 44 2 sa@44 sb@44 npm exec x-mcp
			57 56 44 2 sa@44 sb@44 sh -c x-mcp
			58 57 44 3 sa@44 sb@44 node /x/x-mcp`,
			"56 none live"},
		{"the session is gone: the whole chain is orphaned, though only its root has PPID 1", `
			1  0  1  0 null null init
			56 1  44 2 sa! sb! npm exec x-mcp
			57 56 44 2 sa! sb! sh -c x-mcp
			58 57 44 3 sa! sb! node /x/x-mcp`,
			"56 orphaned gone"},
		{"a leaf at PPID 1 that a session still holds is in use", `
			1  0  1  0 null null init
			44 1  44 1 tty  tty  claude
			58 1  44 3 sa@44 sb@44 node /x/x-mcp`,
			"58 none live"},
		{"a session that is not recognised owns what it started", `
			1  0  1  0 null null init
			44 1  44 1 tty  tty  python3 agent.py
			58 44 44 3 sa@44 sb@44 node /x/x-mcp`,
			"58 none live"},
		{"a parent that is not in the table is alive all the same", `
			1  0  1  0 null null init
			58 7  44 3 sa! sb! node /x/x-mcp`,
			"58 none live"},
		{"a holder that is not in the table is alive all the same", `
			1  0  1  0 null null init
			58 1  44 3 sa@7 sb! node /x/x-mcp`,
			"58 none live"},
		{"taken over by a subreaper that no list names: another session id", `
			1  0  1  0 null null init
			30 1  20 0 null null my-reaper
			58 30 44 3 sa! sb! node /x/x-mcp`,
			"58 orphaned gone"},
		{"a parent younger than the child is none", `
			1  0  1  0 null null init
			30 1  44 9 null null reused
			58 30 44 3 sa! sb! node /x/x-mcp`,
			"58 orphaned gone"},
		{"when it started is not recorded: its parent is one", `
			1  0  1  0 null null init
			44 1  44 2 tty  tty  claude
			58 44 44 3 sa@44 sb@44 node /x/x-mcp # nostart
			59 44 44 3 sa!   sb!   node /x/y-mcp # nostart`,
			"58 none live\n59 disconnected live"},
		{"a declared owner whose start is not recorded may be the one", `
			1  0  1  0 null null init
			44 1  44 1 tty  tty  python3 agent.py # nostart
			58 1  58 3 sa! sb! node /x/x-mcp # env.REAPERD_OWNER=44:100:b0`,
			"58 none live"},
		{"a parent as old as the child is one", `
			1  0  1  0 null null init
			30 1  44 3 null null python3 agent.py
			58 30 44 3 sa@30 sb@30 node /x/x-mcp`,
			"58 none live"},
		{"a forker that began a session of its own later is still the parent", `
			1  0  1  0 null null init
			30 1  30 1 null null python3 agent.py
			58 30 20 3 sa@30 sb@30 node /x/x-mcp`,
			"58 none live"},
		{"stdout that somebody still reads is a batch job", `
			1  0  1  0 null null init
			50 1  44 1 tty tty bash
			60 50 44 2 pb@58 tty cat
			58 1  44 3 pa! pb@60 node /x/x-mcp`,
			"58 none live"},
		{"stdout to a file is a daemon", `
			1  0  1  0 null null init
			58 1  44 3 pa! file node /x/x-mcp`,
			"58 none unknown"},
		{"stdin from /dev/null proves nothing", `
			1  0  1  0 null null init
			58 1  58 3 null null node /x/x-mcp`,
			"58 none unknown"},
		{"a stdout nobody recorded leaves it to stdin", `
			1  0  1  0 null - init
			58 1  44 3 sa! - node /x/x-mcp`,
			"58 orphaned gone"},
		{"a stdin that could not be read proves nothing", `
			1  0  1  0 null null init
			58 1  44 3 ? ? node /x/x-mcp`,
			"58 none unknown"},
		{"a stdout whose reader could not be told: reported, not touched", `
			1  0  1  0 null null init
			58 1  44 3 sa! sb~ node /x/x-mcp`,
			"58 orphaned unknown unproven"},
		{"a stdin whose holder could not be told: reported, not touched", `
			1  0  1  0 null null init
			58 1  44 3 sa~ sb~ node /x/x-mcp`,
			"58 ambiguous unknown unproven"},
		{"a relay of a known kind, left at PPID 1, and the server it feeds go as one", `
			1  0  1  0 null null init
			70 1  70 2 sa! sb! node service-child-relay.js
			58 70 70 3 pc@70 pd@70 node /x/x-mcp`,
			"70 orphaned gone"},
		{"a relay of a known kind that is still spoken to keeps its server", `
			1  0  1  0 null null init
			44 1  44 1 tty tty claude
			70 1  70 2 sa@44 sb@44 node service-child-relay.js
			58 70 70 3 pc@70 pd@70 node /x/x-mcp`,
			"70 none live"},
		{"a relay that nobody knows may be an agent at work: reported, its server kept", `
			1  0  1  0 null null init
			70 1  70 2 sa! sb! node relay.js
			58 70 70 3 pc@70 pd@70 node /x/x-mcp`,
			"70 orphaned unknown unproven\n58 none live"},
		{"one that listens is not even reported", `
			1  0  1  0 null null init
			70 1  70 2 sa! sb! node relay.js # listening
			58 70 70 3 pc@70 pd@70 node /x/x-mcp`,
			"58 none live"},
		{"an agent that nobody knows works on without a terminal, and so do its servers", `
			1  0  1  0 null null init
			70 1  70 2 pa! pb! python3 agent.py
			57 70 70 3 sc@70 sd@70 npm exec x-mcp
			58 57 70 3 sc@70 sd@70 node /x/x-mcp
			59 70 70 4 pe@70 pf@70 node /y/y-mcp`,
			"70 orphaned unknown unproven\n57 none live\n59 none live"},
		{"a shell that made the pipes itself is the client, whatever its name", `
			1  0  1  0 null null init
			70 1  70 2 pa! pb! sh -c agent
			58 70 70 3 pc@70 pd@70 node /x/x-mcp`,
			"70 orphaned unknown unproven\n58 none live"},
		{"an agent that nobody knows holds what hangs elsewhere", `
			1  0  1  0 null null init
			70 1  70 2 pa! pb! python3 agent.py
			58 1  44 3 pc@70 pd@70 node /x/x-mcp`,
			"70 orphaned unknown unproven\n58 none live"},
		{"an unknown agent that is a service is not left over", `
			1  0  1  0 null null init
			70 1  70 2 pa! pb! python3 agent.py # service=agent.service
			58 70 70 3 pc@70 pd@70 node /x/x-mcp`,
			"58 none live"},
		{"an editor's adapter that nobody speaks to, and the session behind it", `
			1  0  1  0 null null init
			17 1  17 1 pa! pb! claude --adapter --output-format stream-json
			29 17 17 2 sc@17 sd@17 codex --output-format stream-json
			58 29 17 3 se@29 sf@29 node /x/x-mcp`,
			"17 orphaned gone\n29 orphaned gone unproven\n58 none live"},
		{"an adapter that its editor speaks to", `
			1  0  1  0 null null init
			10 1  10 1 tty tty editor
			17 1  17 1 pa@10 pb@10 claude --adapter --output-format stream-json
			29 17 17 2 sc@17 sd@17 codex --output-format stream-json
			58 29 17 3 se@29 sf@29 node /x/x-mcp`,
			"58 none live"},
		{"two orphans that hold each other are both orphaned", `
			1  0  1  0 null null init
			58 1  44 3 sa@59 sb! node /x/x-mcp
			59 1  44 3 sc@58 sd! node /y/y-mcp`,
			"58 orphaned gone\n59 orphaned gone"},
		{"a write end that a sibling of a dead session inherited", `
			1  0  1  0 null null init
			58 1  44 3 pa@59 pb! node /x/x-mcp
			59 1  44 4 pc! pd! node /y/y-mcp`,
			"58 orphaned gone\n59 orphaned gone"},
		{"where somebody's descriptors could not be read an open end stays open", `
			1  0  1  0 null null init
			40 1  40 1 null null postgres # fds?
			58 1  44 3 pa@59 pb! node /x/x-mcp
			59 1  44 4 pc! pd! node /y/y-mcp`,
			"58 none live\n59 orphaned gone"},
		{"its own child holding its stdin is no holder", `
			1  0  1  0 null null init
			58 1  44 3 pa@59 pb! node /x/x-mcp
			59 58 44 4 pa@59 pb! chrome`,
			"58 orphaned gone"},
		{"a logger that reads what it says goes with it", `
			1  0  1  0 null null init
			58 1  44 3 pa! pb@60 node /x/x-mcp
			60 1  44 3 pb@58 pd! tee`,
			"58 orphaned gone"},
		{"what the logger says is still read", `
			1  0  1  0 null null init
			44 1  40 1 tty tty python3 watch.py
			58 1  44 3 pa! pb@60 node /x/x-mcp
			60 1  44 3 pb@58 pd@44 tee`,
			"58 none live"},
		{"the logger writes to a terminal: a batch job", `
			1  0  1  0 null null init
			58 1  44 3 pa! pb@60 node /x/x-mcp
			60 1  44 3 pb@58 tty tee`,
			"58 none unknown"},
		{"a pipeline whose first process waits for input that cannot come", `
			1  0  1  0 null null init
			57 1  44 3 pa! pc@58 cat
			58 1  44 3 pc@57 pb! node /x/x-mcp`,
			"57 orphaned gone"},
		{"a pipeline that a file feeds", `
			1  0  1  0 null null init
			57 1  44 3 file pc@58 cat
			58 1  44 3 pc@57 pb! node /x/x-mcp`,
			"57 none unknown"},
		{"a process in another session that reads its stdout is no neighbour in a pipeline", `
			1  0  1  0 null null init
			58 1  44 3 pa! pb@60 node /x/x-mcp
			60 1  60 3 pb@58 pd! reader`,
			"58 none live"},
		{"two that feed each other are no pipeline: each is the other's client", `
			1  0  1  0 null null init
			58 1  44 3 pa@59 pb@59 node /x/x-mcp
			59 1  44 3 pb@58 pa@58 agent`,
			"58 none live"},
		{"whoever is upstream and serves nothing is a client", `
			1  0  1  0 null null init
			57 1  44 3 pa! pc@58 agent
			58 1  44 3 pc@57 pb! node /x/x-mcp`,
			"58 none live"},
		{"so is whoever is downstream and no filter", `
			1  0  1  0 null null init
			58 1  44 3 pa! pb@60 node /x/x-mcp
			60 1  44 3 pb@58 pd! agent`,
			"58 none live"},
		{"the main process of a unit belongs to the service manager", `
			1  0  1  0 null null init
			58 1  58 3 sa! sb! node /x/x-mcp # service=x-mcp.service`,
			"58 none live service"},
		{"a zombie that led living threads is alive and nobody's evidence", `
			1  0  1  0 null null init
			44 1  44 1 - - x # zombie threads=3
			58 44 44 3 sa@44 sb@44 node /x/x-mcp`,
			"58 none live"},
		{"a dead zombie owns nothing", `
			1  0  1  0 null null init
			44 7  44 1 - - x # zombie
			58 1  44 3 sa! sb! node /x/x-mcp`,
			"58 orphaned gone"},
		{"a process that listens and has a client is in use", `
			1  0  1  0 null null init
			58 1  44 3 sa! sb! node /x/x-mcp # listening clients=1`,
			"58 none live in-use"},
		{"a process that listens and has none is an orphan that listens", `
			1  0  1  0 null null init
			58 1  44 3 sa! sb! node /x/x-mcp # listening`,
			"58 orphaned gone"},
		{"OPENCODE_PID of a live session keeps", `
			1  0  1  0 null null init
			44 1  44 1 tty tty opencode
			58 1  58 3 sa! sb! node /x/x-mcp # env.OPENCODE_PID=44`,
			"58 none live"},
		{"OPENCODE_PID of a number that somebody else has now explains nothing", `
			1  0  1  0 null null init
			44 1  44 9 tty tty opencode
			58 1  58 3 sa! sb! node /x/x-mcp # env.OPENCODE_PID=44`,
			"58 orphaned gone"},
		{"REAPERD_OWNER names a live process exactly", `
			1  0  1  0 null null init
			44 1  44 1 tty tty python3 a.py
			58 1  58 3 sa! sb! node /x/x-mcp # env.REAPERD_OWNER=44:100:b0`,
			"58 none live"},
		{"the system remembers who forked it, and that process lives", `
			1  0  1  0 null null init
			44 1  44 1 tty tty python3 a.py
			58 1  58 3 sa! sb! node /x/x-mcp # forker=44:100`,
			"58 none live"},
		{"the system remembers a forker that is gone", `
			1  0  1  0 null null init
			44 1  44 9 tty tty python3 a.py
			58 1  58 3 sa! sb! node /x/x-mcp # forker=44:100`,
			"58 orphaned gone"},
		{"closed below a live session: disconnected", `
			1  0  1  0 null null init
			44 1  44 1 tty tty claude
			58 44 44 3 sa! sb! node /x/x-mcp`,
			"58 disconnected live"},
		{"closed below a shell: reported as disconnected, and the owner is no session", `
			1  0  1  0 null null init
			44 1  44 1 tty tty bash
			58 44 44 3 sa! sb! node /x/x-mcp`,
			"58 disconnected live"},
		{"stdin closed, stdout still read by the session: it will answer", `
			1  0  1  0 null null init
			44 1  44 1 tty tty claude
			58 44 44 3 sa! sb@44 node /x/x-mcp`,
			"58 none live"},
		{"a younger server that holds the ends may be its client, also where the session has let go of them", `
			1  0  1  0 null null init
			44 1  44 1 tty tty claude
			58 44 44 3 pa@59 pb! node /x/x-mcp
			59 44 44 4 pc@44 pd@44 node /y/y-mcp`,
			"58 none live\n59 none live"},
		{"nor does it make a live one look dead", `
			1  0  1  0 null null init
			44 1  44 1 tty tty claude
			58 44 44 3 pa@44,59 pb! node /x/x-mcp
			59 44 44 4 pc@44 pd@44 node /y/y-mcp`,
			"58 none live\n59 none live"},
		{"a gateway and its plugin are one, its clients are servers of their own", `
			1  0  1  0 null null init
			44 1  44 1 tty tty claude
			50 44 44 2 pa@44 pb@44 docker mcp gateway run
			51 50 44 2 pa@44 pb@44 docker-mcp gateway run
			52 51 44 3 pc@51 pd@51 docker run -i --rm mcp/fetch`,
			"50 none live\n52 none live"},
		{"an orphaned gateway takes its clients with it", `
			1  0  1  0 null null init
			50 1  44 2 pa! pb! docker mcp gateway run
			52 50 44 3 pc@50 pd@50 docker run -i --rm mcp/fetch`,
			"50 orphaned gone\n52 orphaned gone"},
		{"a live session below a server forbids touching it", `
			1  0  1  0 null null init
			58 1  44 3 sa! sb! node /x/x-mcp
			59 58 44 4 sc@58 sd@58 claude -p`,
			"58 orphaned gone live-session"},
		{"pinned by its environment", `
			1  0  1  0 null null init
			58 1  44 3 sa! sb! node /x/x-mcp # env.REAPERD_KEEP=1`,
			"58 orphaned gone pinned"},
		{"REAPERD_KEEP=false does not pin", `
			1  0  1  0 null null init
			58 1  44 3 sa! sb! node /x/x-mcp # env.REAPERD_KEEP=false`,
			"58 orphaned gone"},
		{"a headless session that nobody speaks to any more, and what it owns", `
			1  0  1  0 null null init
			44 1  44 1 pa! pb! claude --output-format stream-json
			58 44 44 3 sa@44 sb@44 node /x/x-mcp`,
			"44 orphaned gone\n58 none live"},
		{"a session at a terminal has no finding", `
			1  0  1  0 null null init
			44 1  44 1 tty tty claude`,
			""},
		{"who looked is not recorded, and there are several users", `
			host uid?
			1  0  1  0 null null init
			58 1  44 3 sa! sb! node /x/x-mcp # uid=1001`,
			"58 orphaned gone foreign"},
		{"who looked is not recorded, and there is one user", `
			host uid?
			1  0  1  0 null null init
			58 1  44 3 sa! sb! node /x/x-mcp`,
			"58 orphaned gone"},
		{"it listens, and who is connected could not be read", `
			1  0  1  0 null null init
			58 1  44 3 sa! sb! node /x/x-mcp # listening clients?
			59 1  44 3 sc! sd! node /x/y-mcp # clients?`,
			"58 orphaned gone unproven\n59 orphaned gone"},
		{"the table could not be read", `
			source processes error
			1  0  1  0 null null init
			58 1  44 3 sa! sb! node /x/x-mcp`,
			"58 orphaned gone incomplete"},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, correlate(t, 0, c.world), c.want) })
	}
}

func TestTreesAreWhole(t *testing.T) {
	for _, c := range []struct {
		name, world string
		root        int
		pids        []int
	}{
		{"a chain and what the leaf started", `
			1  0  1  0 null null init
			56 1  44 2 sa! sb! npm exec x-mcp
			57 56 44 2 sa! sb! sh -c x-mcp
			58 57 44 3 sa! sb! node /x/x-mcp
			59 58 59 4 null pe@58 firefox -juggler-pipe
			60 59 59 5 null null firefox --type=gpu`, 56, []int{56, 57, 58, 59, 60}},
		{"uv below a shell that passes its stdin on", `
			1  0  1  0 null null init
			40 1  40 1 null null sshd
			56 40 56 2 pa! pb! bash -c srv
			57 56 56 2 pa! pb! uv tool uvx x
			58 57 56 3 pa! pb! x-mcp`, 56, []int{56, 57, 58}},
		{"the relay above, and its other child that it speaks to", `
			1  0  1  0 null null init
			70 1  70 2 sa! sb! node service-child-relay.js
			71 70 70 2 pe@70 null node helper.js
			72 70 70 2 null null viewer
			58 70 70 3 pc@70 pd@70 node /x/x-mcp`, 70, []int{70, 71, 58}},
		{"the logger that reads its stdout", `
			1  0  1  0 null null init
			58 1  44 3 pa! pb@60 node /x/x-mcp
			60 1  44 3 pb@58 pd! tee`, 58, []int{58, 60}},
		{"the whole pipeline below a shell that passes its stdin on", `
			1  0  1  0 null null init
			55 1  44 2 pa! pz! bash -c pipeline
			57 55 44 3 pa! pc@58 tee
			58 55 44 3 pc@57 pz! node /x/x-mcp`, 55, []int{55, 57, 58}},
		{"a browser that was opened for a login stays with its user", `
			1  0  1  0 null null init
			58 1  44 3 sa! sb! node /x/x-mcp
			61 58 61 4 null null xdg-open
			62 61 61 5 null null firefox
			63 62 61 5 null null firefox`, 58, []int{58}},
		{"also one in the server's own session that nothing drives", `
			1  0  1  0 null null init
			58 1  44 3 sa! sb! node /x/x-mcp
			62 58 44 5 pe@58 pf@58 firefox`, 58, []int{58}},
		{"a browser that the server drives goes with it", `
			1  0  1  0 null null init
			58 1  44 3 sa! sb! node /x/x-mcp
			62 58 62 5 null null firefox -juggler-pipe
			63 62 62 5 null null firefox
			64 58 64 5 null pf@58 firefox`, 58, []int{58, 62, 63}},
		{"a helper in a session of its own, whose stdin and stdout the server holds", `
			1  0  1  0 null null init
			58 1  44 3 sa! sb! node /x/x-mcp
			62 58 62 5 pe@58 pf@58 node worker.js`, 58, []int{58, 62}},
		{"what only waits for the server's end, in a session of its own, may be a person's", `
			1  0  1  0 null null init
			58 1  44 3 sa! sb! node /x/x-mcp
			62 58 62 5 pe@58 null node watchdog.js`, 58, []int{58}},
		{"an editor stays, whatever ends of the server it has", `
			1  0  1  0 null null init
			58 1  44 3 sa! sb! node /x/x-mcp
			62 58 44 5 pe@58 pf@58 godot -e
			63 58 44 5 sa! sb! soffice
			64 58 44 5 pg@58 ph@58 viewer # display
			65 58 44 5 sa! sb! viewer # on=/dev/pts/7
			66 58 44 5 null null viewer`, 58, []int{58}},
		{"what speaks to the server over another descriptor goes with it", `
			1  0  1  0 null null init
			58 1  44 3 sa! sb! node /x/x-mcp
			62 58 44 5 null null node worker.js # shares=58`, 58, []int{58, 62}},
		{"below a wrapper that is hidden by its name: what it runs has its stdin", `
			1  0  1  0 null null init
			56 1  44 2 sa! sb! sh -c x-mcp
			58 56 58 3 sa! sb! run`, 56, []int{56, 58}},
		{"what has the server's own stdin, in a session of its own", `
			1  0  1  0 null null init
			56 1  44 2 sa! sb! sh run-x-mcp
			58 56 58 3 sa! sb! worker`, 56, []int{56, 58}},
		{"wrappers whose stdin cannot be seen are known by name", `
			1  0  1  0 null null init
			44 1  44 1 tty tty claude
			56 44 44 2 ? ? uv tool uvx thing
			58 56 44 3 ? ? x-mcp`, 56, []int{56, 58}},
		{"a terminal is never a shared stdin", `
			1  0  1  0 null null init
			44 1  44 1 tty tty bash
			58 44 44 3 tty tty x-mcp`, 58, []int{58}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := correlate(t, 0, c.world)
			for _, target := range g.Targets {
				if target.Root.PID == c.root {
					if got := target.PIDs(); !reflect.DeepEqual(got, c.pids) {
						t.Errorf("tree %v, want %v", got, c.pids)
					}
					return
				}
			}
			t.Errorf("no target has root %d: %+v", c.root, g.Targets)
		})
	}
}

func TestWhatIsRemembered(t *testing.T) {
	const alive = `
		1  0  1  0 null null init
		44 1  44 1 tty  tty  claude
		56 44 44 2 sa@44 sb@44 npm exec x-mcp
		58 56 44 3 sa@44 sb@44 node /x/x-mcp
		59 58 59 4 null pe@58 chrome`
	for _, c := range []struct{ name, then, want string }{
		{"the wrapper died and the ends were dropped, and the session it had lives: disconnected", `
			1  0  1  0 null null init
			44 1  44 1 tty  tty  claude
			58 1  44 3 sa! sb! node /x/x-mcp
			59 58 59 4 null pe@58 chrome`,
			"58 disconnected live"},
		{"the session is gone: orphaned, and it is known whose it was", `
			1  0  1  0 null null init
			56 1 44 2 sa! sb! npm exec x-mcp
			58 56 44 3 sa! sb! node /x/x-mcp`,
			"56 orphaned gone"},
		{"taken over by a subreaper that leads a session of its own", `
			1  0  1  0 null null init
			30 1  30 0 null null my-reaper
			56 30 44 2 sa! sb! npm exec x-mcp`,
			"56 orphaned gone"},
		{"what a server started and what was reparented since is a part of it still", `
			1  0  1  0 null null init
			58 1  44 3 sa! sb! node /x/x-mcp
			59 1  59 4 null pe@58 chrome`,
			"58 orphaned gone"},
		{"what made itself a daemon is not", `
			1  0  1  0 null null init
			58 1  44 3 sa! sb! node /x/x-mcp
			59 1  59 4 null null chrome`,
			"58 orphaned gone"},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, correlate(t, time.Minute, alive, c.then), c.want) })
	}
}

// TestWhatReaperdExecLeftIsOneTree: 56 is the supervisor, which was killed.
func TestWhatReaperdExecLeftIsOneTree(t *testing.T) {
	const alive = `
		1  0  1  0 null null init
		44 1  44 1 tty  tty  claude
		56 44 44 2 sa@44 sb@44 npm exec x-mcp
		58 56 44 3 sa@44 sb@44 node /x/x-mcp # env.REAPERD_OWNER=56:200:b0:4
		70 56 70 4 null null helper          # env.REAPERD_OWNER=56:200:b0:4
		71 56 71 4 null null /usr/bin/firefox https://login.example # env.REAPERD_OWNER=56:200:b0:4
		72 56 72 4 null null helper          # env.REAPERD_OWNER=9:9:b0:4
		73 56 73 4 null null forked-away     # env.REAPERD_OWNER=56:200:b0:4 reparented
		74 56 74 4 null null forked-away     # env.REAPERD_OWNER=9:9:b0:4 reparented
		75 56 75 4 null null /usr/bin/firefox https://login.example # env.REAPERD_OWNER=56:200:b0:4 reparented`
	const stranger = `
		80 1  80 4 null null helper # env.REAPERD_OWNER=56:200:b0:4`
	for _, c := range []struct{ name, then, want, members string }{
		{"its server left: with all that names it but a person's browser, and nobody who was not seen below it", `
			58 1  44 3 sa! sb! node /x/x-mcp # env.REAPERD_OWNER=56:200:b0:4`, "58 disconnected live", "[58 70 73]"},
		{"its server used: all is kept", `
			58 1  44 3 sa@44 sb@44 node /x/x-mcp # env.REAPERD_OWNER=56:200:b0:4`, "58 none live", "[58 70 73]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := correlate(t, time.Minute, alive, `
				1  0  1  0 null null init
				44 1  44 1 tty  tty  claude`+c.then+`
				70 1  70 4 null null helper # env.REAPERD_OWNER=56:200:b0:4
				71 1  71 4 null null /usr/bin/firefox https://login.example # env.REAPERD_OWNER=56:200:b0:4
				72 1  72 4 null null helper # env.REAPERD_OWNER=9:9:b0:4
				73 1  73 4 null null forked-away # env.REAPERD_OWNER=56:200:b0:4 reparented
				74 1  74 4 null null forked-away # env.REAPERD_OWNER=9:9:b0:4 reparented
				75 1  75 4 null null /usr/bin/firefox https://login.example # env.REAPERD_OWNER=56:200:b0:4 reparented`+stranger)
			expect(t, g, c.want)
			var members []int
			for _, m := range g.Targets[0].Members {
				members = append(members, m.PID)
			}
			if got := fmt.Sprint(members); got != c.members {
				t.Errorf("members %s, want %s", got, c.members)
			}
		})
	}
}

func TestAFindingIsAsOldAsItsFirstLook(t *testing.T) {
	const orphan = `
		1  0  1  0 null null init
		58 1  44 3 sa! sb! node /x/x-mcp`
	const used = `
		1  0  1  0 null null init
		58 1  44 3 sa@7 sb! node /x/x-mcp`
	for _, c := range []struct {
		name   string
		worlds []string
		looks  int
		held   time.Duration
	}{
		{"one look", []string{orphan}, 1, 0},
		{"three looks", []string{orphan, orphan, orphan}, 3, 2 * time.Minute},
		{"interrupted: it begins anew", []string{orphan, orphan, used, orphan, orphan}, 2, time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			target := correlate(t, time.Minute, c.worlds...).Targets[0]
			if target.Looks != c.looks || target.Held != c.held {
				t.Errorf("looks %d held %v, want %d %v", target.Looks, target.Held, c.looks, c.held)
			}
		})
	}
}

// TestADuplicateIsAsOldAsItsLastUse: `for` of a rule, one that was saved a moment ago
// too, counts from the last look that saw an older copy in use, and from no earlier one,
// however long it was a duplicate before.
func TestADuplicateIsAsOldAsItsLastUse(t *testing.T) {
	world := func(io string) string {
		return `
		1  0  1  0 null null init
		44 1  44 1 tty tty claude
		50 44 44 2 sa@44 sb@44 /opt/x-mcp # io=` + io + ` cpu=1
		51 44 44 33 sc@44 sd@44 /opt/x-mcp # io=100 cpu=1`
	}
	for _, c := range []struct {
		name  string
		reads []string // the bytes that it has moved, look by look
		want  Finding
		since time.Duration // after the first look
		looks int
	}{
		{"idle in all looks", []string{"500", "500", "500", "500"}, FindingDuplicate, 0, 4},
		{"used before the third look", []string{"500", "500", "501", "501"}, FindingDuplicate, 2 * time.Minute, 2},
		{"used before each look but the last", []string{"500", "501", "502", "502", "502"}, FindingDuplicate, 2 * time.Minute, 3},
		{"used before the last look", []string{"500", "500", "500", "501"}, FindingNone, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var worlds []string
			for _, read := range c.reads {
				worlds = append(worlds, world(read))
			}
			g := correlate(t, time.Minute, worlds...)
			for _, target := range g.Targets {
				if target.Root.PID != 50 {
					continue
				}
				if target.Finding != c.want || c.want != FindingNone && (target.Looks != c.looks || !target.Since.Equal(noon.Add(c.since)) ||
					target.Held != time.Duration(len(c.reads)-1)*time.Minute-c.since) {
					t.Errorf("%s since %s, held %s, %d looks", target.Finding, target.Since.Sub(noon), target.Held, target.Looks)
				}
				e := target.Evidence[len(target.Evidence)-1]
				want := "a newer copy, 51, serves the same owner, and this one has done nothing for " + human.Span(target.Held)
				if tells := e.Check == CheckActivity && e.Text == want && e.Since.Equal(target.Since); tells != (c.want == FindingDuplicate) {
					t.Errorf("the evidence is %q since %s; want %q", e.Text, e.Since.Sub(noon), want)
				}
			}
		})
	}
}

// TestAFirstLookKnowsAServerByTheShapeThatAnEarlierDaemonHasSeen: nothing but the session that
// held its stdin and its stdout told that it is one, and the session is gone.
func TestAFirstLookKnowsAServerByTheShapeThatAnEarlierDaemonHasSeen(t *testing.T) {
	const (
		session = `
			1  0  1  0 null null init
			44 1  44 1 tty tty claude
			50 44 44 2 sa@44 sb@44 node /home/dev/own/tool.js`
		left = `
			1  0  1  0 null null init
			50 1  44 2 sa! sb! node /home/dev/own/tool.js`
		held = `
			1  0  1  0 null null init
			60 1  60 1 tty tty bash
			50 1  44 2 sa@60 sb@60 node /home/dev/own/tool.js`
		another = `
			1  0  1  0 null null init
			50 1  44 9 sa! sb! node /home/dev/own/tool.js`
	)
	watched := correlate(t, time.Minute, session, left)
	recalled := watched.ByShape()
	if !slices.Equal(recalled, []string{"50:200"}) {
		t.Fatalf("recalled: %q", recalled)
	}
	for _, row := range []struct {
		world, now string
		recalled   []string
		want       string // "": it is no server
	}{
		{"it is leaked", left, recalled, "orphaned gone"},
		{"somebody holds its ends", held, recalled, "none live"},
		{"nobody tells of it", left, nil, ""},
		{"another process has its number", another, recalled, ""},
	} {
		g, got := Correlate(nil, look(t, row.now), Options{Catalogue: simple{}, ByShape: row.recalled}), ""
		for _, target := range g.Targets {
			if target.Root != nil && target.Root.PID == 50 {
				got = says(target)
			}
		}
		if got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}

func TestARelayIsTheRootFromTheFirstLookOn(t *testing.T) {
	const leaked = `
		1  0  1  0 null null init
		70 1  70 2 sa! sb! node service-child-relay.js
		58 70 70 3 pc@70 pd@70 node /x/x-mcp`
	const relayGone = `
		1  0  1  0 null null init
		58 1  70 3 pc! pd! node /x/x-mcp`
	for _, worlds := range [][]string{{leaked, leaked}, {leaked, relayGone}} {
		if target := correlate(t, time.Minute, worlds...).Targets[0]; target.Looks != 2 || target.Finding != FindingOrphaned {
			t.Errorf("looks %d, finding %s: the second look knows what the first one saw", target.Looks, target.Finding)
		}
	}
}

func TestAClientBetweenTwoCallsIsStillAClient(t *testing.T) {
	const calling = `
		1  0  1  0 null null init
		58 1  44 3 sa! sb! node /x/x-mcp # listening clients=1`
	const between = `
		1  0  1  0 null null init
		58 1  44 3 sa! sb! node /x/x-mcp # listening clients=0`
	expect(t, correlate(t, time.Minute, calling, between), "58 none live in-use")
	expect(t, correlate(t, time.Minute, between, between), "58 orphaned gone")
}

func TestWhatComesBackIsCounted(t *testing.T) {
	const before = `
		1  0  1  0 null null init
		44 1  44 1 tty tty claude
		50 44 44 2 pa@44 pb@44 docker mcp gateway run`
	const again = before + `
		60 50 44 3590 pc@50 pd@50 docker run -i --rm fetch-mcp
		61 50 44 3591 pe@50 pf@50 docker run -i --rm fetch-mcp
		62 50 44 3592 pg@50 ph@50 docker run -i --rm other-mcp`
	reaped := func(target string, second int) Reaped {
		at := noon.Add(-time.Hour + time.Duration(second)*time.Second)
		return Reaped{Owner: inventory.ID{PID: 50, Start: 200}, Target: target, Name: "fetch-mcp", From: at.Add(-time.Second), Until: at}
	}
	for _, c := range []struct {
		name   string
		reaped []Reaped
		want   int
	}{
		{"two that were reaped came back within a minute", []Reaped{reaped("a", 3580), reaped("b", 3581)}, 2},
		{"three reaped, two copies", []Reaped{reaped("a", 3580), reaped("b", 3581), reaped("c", 3582)}, 2},
		{"a copy that is older than the reaping", []Reaped{reaped("a", 3595)}, 0},
		{"a copy that began much later", []Reaped{reaped("a", 3500)}, 0},
		{"nothing was reaped", nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			options := Options{Catalogue: simple{}, RespawnsOver: 2, Reaped: c.reaped}
			first := Correlate(nil, look(t, again), options)
			later := look(t, before) // the copies are gone again
			later.TakenAt = noon.Add(5 * time.Minute)
			for i, g := range []*Graph{first, Correlate(first, later, options)} {
				gateway := g.Targets[0]
				if gateway.Respawns != c.want || (gateway.Finding == FindingRespawning) != (c.want >= 2) {
					t.Errorf("look %d: %d respawns, finding %s, want %d", i+1, gateway.Respawns, gateway.Finding, c.want)
				}
			}
			late := look(t, before)
			late.TakenAt = noon.Add(20 * time.Minute)
			if gateway := Correlate(first, late, options).Targets[0]; gateway.Respawns != 0 {
				t.Errorf("%d respawns are counted after 20 minutes", gateway.Respawns)
			}
		})
	}
}

func TestWhatHasTheShapeOfAServer(t *testing.T) {
	const session = `
		1  0  1  0 null null init
		44 1  44 1 tty tty claude
		`
	for _, c := range []struct{ name, world, want string }{
		{"a child whose stdin and stdout the session holds", session + "58 44 44 3 sa@44 sb@44 /usr/local/bin/dialpad", "58 none live"},
		{"its orphaned copies with it", session + `
			58 44 44 3 sa@44 sb@44 /usr/local/bin/dialpad
			59 1  43 3 sc! sd! /usr/local/bin/dialpad
			60 1  43 3 se! sf! /usr/local/bin/dialpad --other`, "58 none live\n59 orphaned gone"},
		{"a relative command in another folder is another program", session + `
			58 44 44 3 sa@44 sb@44 node dist/index.js
			59 1  43 3 sc! sd! node dist/index.js # cwd=/srv/web`, "58 none live"},
		{"a child with a terminal is not", session + "58 44 44 3 tty tty /usr/bin/less", ""},
		{"a child with /dev/null is not", session + "58 44 44 3 null sb@44 /usr/bin/tool", ""},
		{"a shell's command line is what a person asked for", session + "58 44 44 3 sa@44 sb@44 bash -c make", ""},
		{"a child of something that is no session is not", `
			1  0  1  0 null null init
			44 1  44 1 tty tty python3 agent.py
			58 44 44 3 sa@44 sb@44 /usr/local/bin/dialpad`, ""},
		{"a child of a gateway is, whatever starts it", `
			1  0  1  0 null null init
			57 1  57 2 null file docker mcp gateway run # listening
			58 57 57 3 sa@57 sb@57 sh -c tool
			59 58 57 3 sa@57 sb@57 /usr/local/bin/tool
			60 57 57 4 sc@57 sd@57 node own.js`, "57 none unknown\n58 none live\n60 none live"},
		{"a session below a session is one of its own", session + "58 44 44 3 sa@44 sb@44 claude -p", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := correlate(t, 0, c.world)
			expect(t, g, c.want)
			for _, target := range g.Targets {
				if !target.ByShape && target.Kind != KindGateway {
					t.Errorf("%s is not known by its shape alone", target.ID)
				}
			}
		})
	}
}

func TestCopiesOfOneOwner(t *testing.T) {
	world := func(io string) string {
		return `
		1  0  1  0 null null init
		44 1  44 1 tty tty claude
		50 44 44 2 sa@44 sb@44 /opt/x-mcp # io=` + io + ` cpu=1
		51 44 44 3 sc@44 sd@44 /opt/x-mcp # io=500 cpu=1
		52 44 44 4 se@44 sf@44 /opt/x-mcp --other # io=100 cpu=1
		53 44 44 5 sg@44 sh@44 claude -p
		54 53 44 6 si@53 sj@53 /opt/x-mcp # io=100 cpu=1
		55 44 44 39 sk@44 sl@44 /opt/x-mcp # io=100 cpu=1`
	}
	g := correlate(t, time.Minute, world("500"), world("500"))
	expect(t, g, `
		50 duplicate live
		51 duplicate live
		52 none live
		54 none live
		55 none live`)
	for id, want := range map[string]int{"50": 3, "51": 2, "52": 0, "54": 0, "55": 1} {
		for _, target := range g.Targets {
			if target.Root.PID == number(t, id) && target.Generation != want {
				t.Errorf("%s: generation %d, want %d", id, target.Generation, want)
			}
		}
	}
	expect(t, correlate(t, time.Minute, world("500"), world("501")), `
		50 none live
		51 duplicate live
		52 none live
		54 none live
		55 none live`)
	for _, target := range correlate(t, time.Minute, world("500"), world("500")).Targets {
		if idle, known := target.Idle.Get(); !known || idle != time.Minute {
			t.Errorf("%s has been idle for %v (%v), want 1m", target.ID, idle, known)
		}
	}
}

// TestOfCopiesThatStartedTogetherTheNewerIsNoBetter: a client may start a server twice at once and
// use the first. One is an older copy only once the newer one has worked.
func TestOfCopiesThatStartedTogetherTheNewerIsNoBetter(t *testing.T) {
	world := func(io string) string {
		return `
		1  0  1  0 null null init
		44 1  44 1 tty tty claude
		50 44 44 2 sa@44 sb@44 /opt/x-mcp # io=500 cpu=1
		51 44 44 3 sc@44 sd@44 /opt/x-mcp # io=` + io + ` cpu=1`
	}
	expect(t, correlate(t, time.Minute, world("500"), world("500"), world("500")), "50 none live\n51 none live")
	expect(t, correlate(t, time.Minute, world("500"), world("600"), world("600")), "50 duplicate live\n51 none live")
}

// TestOfAClientThatStartsNothingAgainNoCopyIsEnded: its oldest may be the one in use.
func TestOfAClientThatStartsNothingAgainNoCopyIsEnded(t *testing.T) {
	const world = `
		1  0  1  0 null null init
		44 1  44 1 tty tty codex --keeps
		50 44 44 2  sa@44 sb@44 /opt/x-mcp # io=500 cpu=1
		51 44 44 33 sc@44 sd@44 /opt/x-mcp # io=500 cpu=1`
	expect(t, correlate(t, time.Minute, world, world), "50 duplicate live restarts\n51 none live")
}

func TestAnOwnerIsGoneSinceTheFirstLookWithoutIt(t *testing.T) {
	const alive = `
		1  0  1  0 null null init
		44 1  44 1 tty  tty  claude
		58 44 44 3 sa@44 sb@44 node /x/x-mcp`
	const gone = `
		1  0  1  0 null null init
		58 1  44 3 sa! sb! node /x/x-mcp`
	owner := correlate(t, time.Minute, alive, gone, gone, gone).Targets[0].Owner
	if owner.Name != "claude" || owner.Liveness != LivenessGone || !owner.Since.Equal(noon.Add(time.Minute)) {
		t.Errorf("owner %+v, want claude, gone since the second look", owner)
	}
}

func TestEvidenceIsDatedByTheFirstLookInARowThatSawIt(t *testing.T) {
	const owned = `
		1  0  1  0 null null init
		44 1  44 1 tty  tty  claude
		58 44 44 3 sa@44 sb@44 node /x/x-mcp`
	const orphan = `
		1  0  1  0 null null init
		58 1  44 3 sa! sb! node /x/x-mcp`
	for _, c := range []struct {
		name   string
		worlds []string
		check  Check
		look   int // the one that it is dated by
	}{
		{"seen once", []string{orphan}, CheckStdin, 0},
		{"nobody holds its stdin since the second look", []string{owned, orphan, orphan}, CheckStdin, 1},
		{"nor is anybody above it", []string{owned, orphan, orphan}, CheckAncestor, 1},
		{"its session was last seen in the second look", []string{owned, owned, orphan, orphan}, CheckMemory, 1},
		{"owned from the first look on", []string{owned, owned}, CheckStdin, 0},
		{"held again in between: it begins anew", []string{orphan, owned, orphan, orphan}, CheckStdin, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := correlate(t, time.Minute, c.worlds...)
			target := g.Targets[0]
			want := g.Snapshot.TakenAt.Add(-time.Duration(len(c.worlds)-1-c.look) * time.Minute)
			at := slices.IndexFunc(target.Evidence, func(e Evidence) bool { return e.Check == c.check })
			if at < 0 || !target.Evidence[at].Since.Equal(want) {
				t.Errorf("evidence %+v, want %s since %s", target.Evidence, c.check, want)
			}
		})
	}
}

// TestWhatASessionStartsAgainIsNotEndedOnceMore: ending the older copies below a client that
// starts all of them again makes it worse each time.
func TestWhatASessionStartsAgainIsNotEndedOnceMore(t *testing.T) {
	const world = `
		1  0  1  0 null null init
		44 1  44 1 tty tty codex
		61 44 44 3590 sa!   sb!   node /x/y-mcp
		62 44 44 3590 sc@44 sd@44 node /x/fetch-mcp
		63 44 44 3591 se@44 sf@44 node /x/fetch-mcp`
	reaped := func(target string, owner inventory.ID) Reaped {
		at := noon.Add(-time.Hour + 3580*time.Second)
		return Reaped{Owner: owner, Target: target, Name: "fetch-mcp", From: at.Add(-time.Second), Until: at}
	}
	codex, other := inventory.ID{PID: 44, Start: 100}, inventory.ID{PID: 45, Start: 100}
	for _, c := range []struct {
		name   string
		reaped []Reaped
		want   string
	}{
		{"both that were ended came back", []Reaped{reaped("a", codex), reaped("b", codex)}, "61 disconnected live restarts"},
		{"two of five came back", []Reaped{reaped("a", codex), reaped("b", codex), reaped("c", codex), reaped("d", codex), reaped("e", codex)}, "61 disconnected live"},
		{"what came back was ended below another", []Reaped{reaped("a", other), reaped("b", other)}, "61 disconnected live"},
	} {
		t.Run(c.name, func(t *testing.T) {
			first := Correlate(nil, look(t, world), Options{Catalogue: simple{}, Reaped: c.reaped})
			later := look(t, world)
			later.TakenAt = noon.Add(time.Hour)
			for _, g := range []*Graph{first, Correlate(first, later, Options{Catalogue: simple{}})} {
				if got := firstWord(g.Targets[0].ID) + " " + says(g.Targets[0]); got != c.want {
					t.Errorf("%s, want %s: %+v", got, c.want, g.Targets[0].Vetoes)
				}
			}
		})
	}
}

package graph

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// box is a project's container, with its monitor.
const box = people + `
	45 1  45 1 tty  tty  codex
	7  1  1  0 null null containerd-shim
	8  7  8  1 null null sleep # container=c1
	container c1 app 1 pid=8 detached name=box`

// TestOneDockerExecIsOneServerWithWhatItBroughtIn: only it can have. The process in the container is ended with it.
func TestOneDockerExecIsOneServerWithWhatItBroughtIn(t *testing.T) {
	const exec = `
		50 44 44 2 sa@44 sb@44 docker exec -i box php boost # configured=boost
		20 7  20 3 pc@7 pd@7 php boost # container=c1`
	leaked := strings.NewReplacer("50 44 44", "50 1 44", "sa@44", "sa!", "sb@44", "sb!", "pc@7", "pc!").Replace(exec)
	for _, c := range []struct{ name, world, want, pids string }{
		{"its session lives", box + exec, "50 none live", "50 20"},
		{"its session has gone", box + leaked, "50 orphaned gone", "50 20"},
		{"a person has a shell in the container", box + leaked + `
			60 70 70 4 tty tty docker exec -it box sh
			21 7  21 5 tty tty sh # container=c1`, "50 orphaned gone", "50 20"},
		{"what it brought in cannot be seen", people + strings.Split(leaked, "20 7")[0] + `
			container c1 app 1 detached name=box`, "50 orphaned gone engine", "50"},
		{"what it brought in has ended", box + strings.Split(leaked, "20 7")[0], "50 orphaned gone", "50"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := looks(t, c.world)
			i := slices.IndexFunc(g.Targets, func(target *Target) bool { return target.Root != nil && target.Root.PID == 50 })
			var pids []string
			for _, member := range g.Targets[i].Members {
				pids = append(pids, member.ID().String()[:2])
			}
			if got := strings.Join(pids, " "); got != c.pids || says(g.Targets[i]) != c.want[3:] {
				t.Errorf("%s of %s, want %s of %s", says(g.Targets[i]), got, c.want[3:], c.pids)
			}
		})
	}
}

// TestWhichDockerExecBroughtInWhatIsProvenWhereOneIsLeft: two sessions execute the same command in one container.
func TestWhichDockerExecBroughtInWhatIsProvenWhereOneIsLeft(t *testing.T) {
	const two = `
		50 44 44 2 sa@44 sb@44 docker exec -i box node x-mcp # configured=x
		51 45 45 2 sc@45 sd@45 docker exec -i box node x-mcp # configured=x
		20 7  20 3 pc@7 pd@7 node x-mcp # container=c1
		21 7  21 3 pe@7 pf@7 node x-mcp # container=c1`
	owners := func(world string) (owners []int) {
		for _, pid := range []int{20, 21} {
			g := looks(t, world)
			for _, target := range g.Targets {
				if slices.ContainsFunc(target.nodesOf(), func(member int) bool { return member == pid }) {
					owners = append(owners, target.Owner.ID.PID)
				}
			}
		}
		return owners
	}
	if got := owners(box + two); !slices.Equal(got, []int{0, 0}) {
		t.Errorf("both at once: owners %v", got)
	}
	oneAfterTheOther := strings.NewReplacer("51 45 45 2", "51 45 45 9", "21 7  21 3", "21 7  21 10").Replace(two)
	if got := owners(box + oneAfterTheOther); !slices.Equal(got, []int{44, 45}) {
		t.Errorf("one after the other: owners %v", got)
	}
	// A look that saw the first alone counts later.
	first := strings.Split(two, "\n")
	g := correlate(t, time.Minute, box+"\n"+first[1]+"\n"+first[3], box+two, box+two)
	for _, target := range g.Targets {
		if slices.Contains(target.nodesOf(), 21) && target.Owner.ID.PID != 45 {
			t.Errorf("21 is that of %d", target.Owner.ID.PID)
		}
	}
}

func (t *Target) nodesOf() (pids []int) { return t.PIDs() }

// TestAnExecOverTheAPIWorksOn: its input has ended, and its client waits for the answer. So does a docker compose exec.
func TestAnExecOverTheAPIWorksOn(t *testing.T) {
	const inside = `
		20 7  20 3 pc! pd@7 node x-mcp # container=c1`
	for _, c := range []struct{ name, world, want string }{
		{"a program is connected to the engine", box + inside + `
			60 1  60 2 null null python3 agent.py
			connection 60`, "20 ambiguous unknown unproven\nc1 none unknown"},
		{"docker compose exec has brought it in", strings.Replace(box, "name=box", "name=p-box-1 label.com.docker.compose.service=box label.com.docker.compose.project=p", 1) + inside + `
			60 70 70 2 sa! sb@70 docker compose exec -T box node x-mcp # offline
			61 60 70 2 sa! sb@70 /plugins/docker-compose compose exec -T box node x-mcp`, "60 none live"},
		{"nobody is", box + inside, "20 orphaned gone"},
		{"who is cannot be told", "source docker unread-connections" + box + inside, "20 none unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := looks(t, c.world)
			want := strings.Split(c.want, "\n")[0]
			i := slices.IndexFunc(g.Targets, func(target *Target) bool { return slices.Contains(target.nodesOf(), 20) })
			if i < 0 || says(g.Targets[i]) != want[3:] {
				t.Errorf("got %v, want %s", g.Targets[max(i, 0)], want)
			}
		})
	}
}

// TestOnlyWhoReachesTheEngineMakesAServerOfAnImage: and only together with its command.
func TestOnlyWhoReachesTheEngineMakesAServerOfAnImage(t *testing.T) {
	const others = people + `
		container c1 acme/batch 9 command=train,--all stdin=closed
		container c2 acme/batch 21 command=`
	for _, c := range []struct{ name, world, want string }{
		{"nobody configures it", `train,--all detached`, ""},
		{"a user without a right to the engine", `train,--all detached
			50 44 44 20 sa@44 sb@44 docker run -i --rm acme/batch train --all # configured=x uid=1001 offline`, ""},
		{"with another command", `serve
			50 44 44 20 sa@44 sb@44 docker run -i --rm acme/batch serve # configured=x`, ""},
		{"without one", `serve
			50 44 44 20 sa@44 sb@44 docker run -i --rm acme/batch # configured=x`, ""},
		{"with this very command", `train,--all
			50 44 44 20 sa@44 sb@44 docker run -i --rm acme/batch train --all # configured=x`, "c1 orphaned gone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := looks(t, others+c.world)
			target, _ := g.Target("c1")
			got := ""
			if !target.Incidental {
				got = "c1 " + says(target)
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestRootInAContainerIsNobodyOnTheHost: its process names a container that somebody uses over the engine's API, and holds
// the other end of its own stdin.
func TestRootInAContainerIsNobodyOnTheHost(t *testing.T) {
	expect(t, looks(t, people+`
		7  1  1  0 null null containerd-shim
		8  7  8  1 null null sleep # container=d1
		50 8  8  2 pa@50 pb! docker run -i --rm --name apimcp mcp/time # container=d1 offline
		60 1  60 1 null null python3 agent.py
		connection 60
		container d1 app 1 pid=8 detached
		container c1 mcp/time 3 name=apimcp stdin=open`), "50 orphaned gone engine\nc1 none live")
}

// TestAContainerWithSeveralServersIsAScope: whatever its image is called.
func TestAContainerWithSeveralServersIsAScope(t *testing.T) {
	const hub = people + `
		7  1  1  0 null null containerd-shim
		8  7  8  1 null null node hub.js # container=c1
		container c1 hub-mcp 1 pid=8 detached`
	expect(t, looks(t, hub), "c1 none unknown")
	expect(t, looks(t, hub+`
		20 8  8  3 pa@8 pb@8 node x-mcp # container=c1
		21 8  8  4 pc! pd! node x-mcp # container=c1`), "20 none live\n21 orphaned gone\nc1 none unknown")
	// The program that starts them is their gateway, whatever it is called.
	expect(t, looks(t, strings.Replace(hub, "node hub.js", "docker-init", 1)+`
		9  8  8  2 null null node hub.js # container=c1
		20 9  8  3 pa@9 pb@9 node x-mcp # container=c1
		21 9  8  4 pc! pd! node x-mcp # container=c1`), "9 none unknown\n20 none live\n21 disconnected live\nc1 none unknown")
}

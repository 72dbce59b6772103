package top

import (
	"errors"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/overview"
)

func TestWhatWentWrongIsSaid(t *testing.T) {
	r := &reader{t: t, model: New(Options{}, at), now: at}
	r.sends(Resized{80, 24})
	wantOn(t, r.screen(), []string{"Looking at processes and containers..."}, nil)
	r.sends(Seen{Err: errors.New("no process table")})
	wantOn(t, r.screen(), []string{"No newer look: no process table", "Nothing was seen."}, nil)
	w := ordinary()
	w.Graph.Snapshot.Sources = append(w.Graph.Snapshot.Sources, inventory.Source{Name: "docker", Status: inventory.StatusError, Reason: "permission denied"})
	r.sends(Seen{Tree: w.tree()})
	wantOn(t, r.screen(), []string{"Not all was seen: docker error: permission denied", "lark-mcp"}, []string{"No newer look"})
	r.sends(Seen{Err: errors.New("it hangs")})
	wantOn(t, r.screen(), []string{"No newer look: it hangs", "lark-mcp"}, nil)
}

// TestAnEngineThatHangsIsNotTakenForOneWithoutContainers: the notice ends with what helps.
func TestAnEngineThatHangsIsNotTakenForOneWithoutContainers(t *testing.T) {
	w := newWorld()
	w.session("codex", 5100)
	w.Graph.Snapshot.Sources = append(w.Graph.Snapshot.Sources, inventory.Source{Name: inventory.SourceDocker, Status: inventory.StatusError,
		Reason: "no answer within 5s at unix:///var/run/docker.sock; if docker ps hangs too, restart the engine"})
	r := reads(t, w)
	wantOn(t, r.screen(), []string{"1 session, 0 servers, containers not read, ", "restart the", "engine\n"}, []string{"0 containers"})
	r.sends(Resized{80, roomForGaps - 1})
	wantOn(t, r.screen(), []string{"Not all was seen: docker error (e: why)"}, []string{"…"})
	r.types("e")
	wantOn(t, r.screen(), []string{"no answer within 5s"}, nil)
}

func TestWhatIsWrongWithTheTreeIsInTheHead(t *testing.T) {
	w := newWorld()
	w.session("codex", 5100)
	tree := w.tree()
	tree.Unseen = overview.Unseen{Containers: 4, Engines: []string{"docker"}, Since: at.Add(-time.Minute)}
	tree.Refused = []string{`/home/dev/.config/reaperd/policies.yaml:3: unknown key "moed"`}
	r := reads(t, w)
	r.sends(Seen{Tree: tree, From: Daemon})
	gone, refused := "Docker is gone since 14:01:11: its 4 containers cannot be seen", "The policy file is refused, the one before it holds:"
	wantOn(t, r.screen(), []string{gone, refused, "1 session, 0 servers, containers not read, "}, []string{"0 containers"})
	r.sends(Resized{40, roomForGaps - 1})
	wantOn(t, r.screen(), []string{"Docker is gone (e: more)", "The policy file is refused (e: more)", "codex"}, nil)
	tree.BuiltIn = true
	r.sends(Resized{80, 24}, Seen{Tree: tree})
	wantOn(t, r.screen(), []string{"The policy file is refused, the built-in one holds:"}, nil)
	tree.BuiltIn = false
	r.sends(Resized{120, 24}, Seen{Tree: tree, From: Daemon})
	r.types("e")
	wantOn(t, r.screen(), []string{"Docker is gone since 2026-11-22 14:01:11", refused}, []string{"everything was seen"})
}

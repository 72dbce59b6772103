//go:build linux

package npm_test

import (
	_ "embed"
	"testing"

	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

//go:embed agent.mjs
var agent []byte

// TestAnAgentOfTheSDKAtWork: a program of the SDK that no catalogue knows works on
// below the first process, with nobody at the other ends of its stdio, after the
// runner that started it was killed. It and its servers stay in every sweep, and
// the report says what would make it a session.
func TestAnAgentOfTheSDKAtWork(t *testing.T) {
	if want := missing(); want != "" {
		t.Skip("left out: " + want)
	}
	packages := install(t, "servers", packages) // before the world, which has no network
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		place(t, live, packages, map[string][]byte{"agent.mjs": agent})
		worker := sdkProgram(t, "agent", "agent.mjs")
		worker.Stdin, worker.Stdout = actor.Pipe, actor.Pipe
		live.World = farm.World{
			Parts: []actor.Part{{
				Name: "runner", Exe: "task-runner", Stdin: actor.Null, Stdout: actor.File, Setsid: true, Children: []actor.Part{worker},
			}, cast.Claude("killed", cast.Memory("left", actor.Socket))},
			Parents: map[string]string{"agent": "init"},
			Reap:    []string{cast.Chain("left")},
		}
		live.Start(t, live.World.Parts)
		live.AwaitRounds(t, "agent")
		if below := descendants(t, live, "agent"); len(below) < 2 {
			t.Fatalf("below the agent are %v, want two servers at least", below)
		}
		live.KillAll(t, []string{"runner", "killed"})
		for range 3 {
			live.Check(t)
			live.AwaitRounds(t, "agent")
			live.World.Reap = nil
		}
		live.Unknown(t, live.Scan(t), "agent")
	})
}

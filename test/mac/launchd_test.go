//go:build linux

package mac

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
	"github.com/reaperd/reaperd/test/mac/darwintest"
)

// app is Claude's desktop application, which launchd starts: its servers are
// started through a helper that passes its streams on.
func app(name string, server actor.Part) actor.Part {
	inner := server
	inner.Stdin, inner.Stdout = actor.Inherit, actor.Inherit
	return actor.Part{
		Name: name, Exe: "/Applications/Claude.app/Contents/MacOS/Claude", Argv: []string{"/Applications/Claude.app/Contents/MacOS/Claude"},
		Stdin: actor.Null, Stdout: actor.Null, Setsid: true, UID: dev,
		Children: []actor.Part{{
			Name: name + "-helper", Exe: "/Applications/Claude.app/Contents/Helpers/disclaimer",
			Argv:  []string{"/Applications/Claude.app/Contents/Helpers/disclaimer", "npx", "@modelcontextprotocol/server-memory"},
			Stdin: actor.Socket, Stdout: actor.Socket, Does: actor.Wrapper, Children: []actor.Part{inner},
		}},
	}
}

// TestAppsBelowLaunchd: an application has PPID 1 from birth, and its servers are
// its own for as long as it lives.
func TestAppsBelowLaunchd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runWorld(t, farm.World{
			User: dev,
			Parts: []actor.Part{
				cast.Launched(app("app", cast.Memory("memory", actor.Inherit))),
				cast.Launched(app("gone", cast.Memory("memory-2", actor.Inherit))),
			},
			Kill:    []string{"gone"},
			Parents: map[string]string{"app": "init", "gone-helper": "init"},
			Reap:    []string{"gone-helper " + cast.Chain("memory-2")},
		}, false)
	})
}

// TestJobsOfLaunchdStay: of servers whose ends are closed and that hang below
// launchd, the main process of a job stays, and so does what launchd itself has
// started, also where launchd does not answer.
func TestJobsOfLaunchdStay(t *testing.T) {
	for _, silent := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			kernel := darwintest.NewKernel()
			kernel.NumberFrom(firstPID)
			kernel.UID = dev
			l := raised(kernel, farm.World{
				Parts: []actor.Part{owned(cast.Claude("killed", cast.Deaf(cast.Server("left", cast.NPX+"mcp-server-memory", actor.Pipe))))},
				Kill:  []string{"killed"},
				Reap:  []string{"left"},
			})
			job, started := closedBelowLaunchd(kernel), closedBelowLaunchd(kernel)
			kernel.Job(job, "com.example.memory")
			kernel.Before = func(call string) error {
				if silent && call == "launchctl" {
					return errSilent
				}
				return nil
			}
			l.sweep(t)
			l.check(t)
			for _, p := range []*darwintest.Process{job, started} {
				if !kernel.IsAlive(p) {
					t.Errorf("process %d is gone (launchd silent: %v): %v", p.PID, silent, kernel.Acts())
				}
			}
		})
	}
}

// closedBelowLaunchd is a server that launchd has started, an hour ago, on a pipe
// that nobody has the other end of.
func closedBelowLaunchd(kernel *darwintest.Kernel) *darwintest.Process {
	read, far := kernel.Pipe()
	reader, write := kernel.Pipe()
	p := kernel.Spawn(nil, darwintest.Spec{Comm: "node", Exe: "/opt/homebrew/bin/node", UID: dev, Setsid: true,
		Argv: []string{"node", "/Users/dev/.npm/_npx/a/node_modules/.bin/mcp-server-memory"},
		FDs:  map[int]*darwintest.File{0: read, 1: write}, Started: time.Now().Add(-time.Hour)})
	kernel.Drop(far)
	kernel.Drop(reader)
	return p
}

// errSilent is launchctl where there is no domain to ask.
var errSilent = errors.New("exit status 125: Domain does not support specified action")

//go:build linux

package daemon_test

import (
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
	"github.com/reaperd/reaperd/test/leaks"
)

// spoken is an agent that another program speaks to over its stdio, with two servers of its own.
func spoken(name, exe string) actor.Part {
	part := cast.Deaf(actor.Part{Name: name, Exe: exe, Stdin: actor.Pipe, Stdout: actor.Pipe, Does: actor.Server})
	part.Children = []actor.Part{
		cast.Deaf(cast.Server(name+"-fetch", "/home/dev/"+name+"/fetch-mcp-server/index.js", actor.Pipe)),
		cast.Deaf(cast.Server(name+"-notes", "/home/dev/"+name+"/notes-mcp-server/index.js", actor.Pipe)),
	}
	return part
}

// editor is one that has started agents.
func editor(name string, agents ...actor.Part) actor.Part {
	return actor.Part{Name: name, Exe: "zed-editor", Stdin: actor.Null, Stdout: actor.Null, Setsid: true, Children: agents}
}

// rowOf is the row of a section with such a title; its title is empty if there is none.
func rowOf(a *account.Account, fate account.Fate, title string) account.Row {
	for _, section := range a.Sections {
		for _, row := range section.Rows {
			if section.Fate == fate && row.Title == title {
				return row
			}
		}
	}
	return account.Row{}
}

// TestAnOrphanedSessionAndAllItHoldsAreOneThing: an editor has died with two agents, and an adapter of a third. Each is
// one row outside of what is in use. A sweep of all leaves them alone; one that names one of them stops all of that.
func TestAnOrphanedSessionAndAllItHoldsAreOneThing(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		adapter := cast.Deaf(cast.Server("adapter", "/x/node_modules/@zed-industries/claude-code-acp/dist/index.js", actor.Pipe))
		adapter.Children = []actor.Part{spoken("claude", "claude")}
		live.Start(t, []actor.Part{editor("dead", spoken("named", "codex-acp"), spoken("other", "codex-acp")), editor("alive", spoken("used", "codex-acp"), adapter)})
		d := daemon.Start(t, live, daemon.Options{Policy: leaks.Shipped})
		d.AwaitMore(t, 2)
		live.KillAll(t, []string{"dead", "adapter"})
		d.AwaitMore(t, 3)
		var told account.Account
		decoded(t, d, &told, "scan")
		for name, title := range map[string]string{"named": "codex-acp ", "other": "codex-acp ", "claude": "claude-code "} {
			title += pid(t, live, name)
			row := rowOf(&told, account.Kept, title)
			if row.Servers != 2 || len(row.Things) != 3 || rowOf(&told, account.InUse, title).Title != "" || !strings.HasSuffix(row.State.At(told.TakenAt), ": reaperd sweep "+pid(t, live, name)) {
				t.Errorf("the row of %s: %+v", title, row)
			}
			sum := uint64(0)
			for i := range told.Sessions {
				if told.Sessions[i].PID == live.Being(t, name).PID {
					sum = told.Sessions[i].MemoryBytes
				}
			}
			if sum == 0 || row.MemoryBytes != sum {
				t.Errorf("%s: %d bytes, want those of it and of all that it holds, %d", title, row.MemoryBytes, sum)
			}
		}
		d.Does(t, "sweep", "--yes", "--settle", "0")
		daemon.Live(t, live, "named", "other", "claude")
		if out := d.Does(t, "sweep", "--yes", "--settle", "1s", pid(t, live, "named")); !strings.Contains(out, "Stopped 1 session with 2 servers") {
			t.Errorf("the sweep says\n%s", out)
		}
		daemon.Gone(t, live, "named", "named-fetch", "named-notes")
		d.AwaitMore(t, 2)
		daemon.Live(t, live, "other", "other-fetch", "other-notes", "claude", "claude-fetch", "used", "used-fetch", "used-notes")
		if out := d.Does(t, "history"); !strings.Contains(out, "you swept 2 servers and codex-acp "+pid(t, live, "named")) {
			t.Errorf("history:\n%s", out)
		}
	})
}

// TestWhatListensIsToldWithItsPortAndSinceWhenNobodyIsConnected: servers of a session that has ended. One has a client,
// one nobody, and two, of which one's shell lives, were started by a tool and have no stdio. The rule ends what nobody
// is connected to once it is told to; what may serve by itself it never ends.
func TestWhatListensIsToldWithItsPortAndSinceWhenNobodyIsConnected(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		tool := func(name string) actor.Part {
			web := cast.Listening(cast.Node(name, cast.NPX+"mcp-server-everything", "streamableHttp"), "tcp")
			web.Stdin, web.Stdout, web.Cwd = actor.Null, actor.File, "home/"+name
			return actor.Part{
				Name: name + "-shell", Exe: "bash", Argv: []string{"/bin/bash", "-c", "source ~/.claude/shell-snapshots/s.sh && unalias -a && eval 'npx server-everything'"},
				Stdin: actor.Null, Stdout: actor.File, Setsid: true, Children: []actor.Part{web},
			}
		}
		listens := func(name string) actor.Part {
			return cast.Listening(cast.Deaf(cast.Server(name, "/home/dev/"+name+"-mcp-server/dist/index.js", actor.Pipe)), "tcp")
		}
		caller := actor.Part{Name: "caller", Exe: "dashboard", Stdin: actor.Null, Stdout: actor.Null, Setsid: true, Does: actor.Client, Calls: "used"}
		live.Start(t, []actor.Part{cast.Claude("claude", tool("behind"), tool("alone"), listens("used"), listens("unused")), caller})
		d := daemon.Start(t, live, daemon.Options{Policy: leaks.Shipped})
		d.AwaitMore(t, 2)
		live.KillAll(t, []string{"claude", "alone-shell"})
		d.AwaitMore(t, 3)
		claude := "claude-code " + pid(t, live, "claude")
		var all account.Account
		decoded(t, d, &all, "scan")
		things := map[int]account.Thing{}
		for _, thing := range all.Things {
			things[thing.PID] = thing
		}
		for name, finding := range map[string]string{"unused": "orphaned", "behind": "ambiguous", "alone": "ambiguous"} {
			thing := things[live.Being(t, name).PID]
			row := rowOf(&all, account.Kept, thing.Called())
			state := row.State.At(all.TakenAt)
			if thing.Finding.String() != finding || thing.Owner.String() != claude || !strings.HasPrefix(state, "it listens on port "+portOf(t, live, name)+", nobody connected for ") || !strings.HasSuffix(state, " · left by "+claude) {
				t.Errorf("%s: %s of %s, %q", name, thing.Finding, thing.Owner, state)
			}
		}
		if row := rowOf(&all, account.InUse, "dashboard "+pid(t, live, "caller")); !strings.HasSuffix(row.State.At(all.TakenAt), "1 connection to port "+portOf(t, live, "used")) {
			t.Errorf("what is in use: %+v", row)
		}
		d.WritePolicy(t, leaks.With("listening-orphans"))
		daemon.Gone(t, live, "unused")
		d.AwaitMore(t, 3)
		daemon.Live(t, live, "used", "behind", "behind-shell", "alone")
	})
}

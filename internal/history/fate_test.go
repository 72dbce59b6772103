package history

import (
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
)

func TestWhatHasEndedIsGotBackAsItsClientDoes(t *testing.T) {
	const reconnect, resume = "To reconnect a server in Claude Code: /mcp", "in its folder: codex resume"
	for _, row := range []struct {
		world string
		entry journal.Entry
		want  string // of the last line; empty is none of these
		says  string
	}{
		{"a gateway of a live claude-code", journal.Entry{Kind: "gateway", Name: "docker-mcp", Owner: "claude-code 44:1500", Finding: "zombies", Rule: "zombie-gateways"}, reconnect, "(rule zombie-gateways, collecting zombies)"},
		{"an older copy of it: nobody misses that", journal.Entry{Kind: "server", Name: "fetch", Owner: "claude-code 44:1500", Finding: "duplicate", Rule: "duplicates"}, "", "(rule duplicates, an older copy)"},
		{"an orphan of a session that is gone", journal.Entry{Kind: "server", Name: "fetch", Owner: "claude-code 44:1500", Finding: "orphaned", Rule: "orphaned-servers"}, "", "(rule orphaned-servers, orphaned)"},
		{"an older copy of codex", journal.Entry{Kind: "server", Name: "fetch", Owner: "codex 44:1500", Finding: "duplicate", Rule: "duplicates"}, "", "(rule duplicates, an older copy)"},
		{"a server that went with its session", journal.Entry{Kind: "server", Name: "fetch", Owner: "codex 47:1500", With: "codex 47:1500", Finding: "none", Rule: "idle-over"}, resume, "(rule idle-over, with codex 47)"},
		{"the session itself, and its folder is known", journal.Entry{Kind: "session", Name: "codex", TargetID: "48:7", Cwd: "/src/infra", Finding: "idle", Rule: "idle-over", Why: `rule "idle-over": it does nothing`}, "in /src/infra: codex resume", "why: it does nothing"},
		{"the session itself", journal.Entry{Kind: "session", Name: "codex", Finding: "idle", Rule: "idle-over"}, resume, "(rule idle-over, idle)"},
	} {
		row.entry.Phase, row.entry.Result, row.entry.Detail = journal.PhaseOutcome, "exited", "SIGTERM ended it within 13ms and nothing of its tree is left behind"
		f := Fate{Subject: "48", Entries: []journal.Entry{row.entry}, Width: 60, Resumes: map[string]string{"codex": "codex resume"}}
		var out strings.Builder
		if err := f.Write(&out); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(out.String()), " ")
		for _, way := range []string{reconnect, resume, "in /src/infra: codex resume"} {
			if strings.HasSuffix(text, way) != (way == row.want) {
				t.Errorf("%s: want %q at the end of\n%s", row.world, row.want, out.String())
			}
		}
		if !strings.Contains(text, row.says) {
			t.Errorf("%s: no %q in\n%s", row.world, row.says, out.String())
		}
		for line := range strings.Lines(out.String()) {
			if human.Width(strings.TrimSuffix(line, "\n")) > f.Width {
				t.Errorf("%s: wider than %d: %s", row.world, f.Width, line)
			}
		}
	}
}

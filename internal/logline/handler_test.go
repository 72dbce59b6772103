package logline

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, time.November, 26, 12, 0, 0, 0, time.UTC)

// on returns a handler with times for a terminal of that width, and what it wrote.
func on(width int, times bool) (*Handler, *bytes.Buffer) {
	var out bytes.Buffer
	return New(&out, Options{
		Level: slog.LevelInfo, Width: func() int { return width }, Location: time.UTC, Times: times,
		Replace: func(_ []string, attr slog.Attr) slog.Attr {
			if attr.Key == "secret" {
				return slog.Attr{}
			}
			return attr
		},
	}), &out
}

func handle(t *testing.T, h slog.Handler, at time.Time, level slog.Level, message string, args ...any) {
	t.Helper()
	r := slog.NewRecord(at, level, message, 0)
	r.Add(args...)
	if err := h.Handle(t.Context(), r); err != nil {
		t.Fatal(err)
	}
}

func TestARecordIsASentence(t *testing.T) {
	type word string
	for _, row := range []struct {
		name    string
		message string
		args    []any
		want    string
	}{
		{"the daemon has begun", "reaperd runs", []any{"version", "v1.2.0", "mode", word("enforce"), "policy", "builtin", "sha256", "9d93", "schedule", "@every 30s",
			"next", []string{"2026-11-26T12:00:30Z", "2026-11-26T12:01:00Z"}, "rules", 12, "listen", "", "journal", "/var/lib/reaperd/journal.jsonl", "state", "/var/lib/reaperd", "uid", 0},
			"reaperd v1.2.0 runs in mode enforce by the policy builtin (12 rules). It sweeps when a session ends and by the schedule @every 30s, next at 12:00:30. Its journal is /var/lib/reaperd/journal.jsonl."},
		{"an engine is not there", "source", []any{"name", "docker", "status", word("absent"), "reason", "no engine socket found"}, "docker is absent: no engine socket found"},
		{"an engine answers again", "source", []any{"name", "docker", "status", word("ok"), "reason", ""}, "docker is read again"},
		{"not all of the processes can be read", "source", []any{"name", "processes", "status", word("partial"), "reason", "descriptors of 20 processes could not be read"},
			"the process table is read in part: descriptors of 20 processes could not be read"},
		{"all of the processes can be read again", "source", []any{"name", "processes", "status", word("ok"), "reason", ""}, "the process table is read whole again"},
		{"a target waits", "pending", []any{"rule", "orphaned-servers", "target", "69:1234", "name", "playwright-mcp", "finding", "orphaned", "due", noon.Add(30 * time.Second), "why", "it has for 0s"},
			"playwright-mcp 69 is orphaned: due at 12:00:30 by rule orphaned-servers"},
		{"a target was reaped", "reaped", []any{"rule", "orphaned-servers", "target", "69:1234", "kind", "server", "name", "playwright-mcp", "owner", "codex", "owner_pid", 40, "owner_liveness", word("gone"), "finding", "orphaned",
			"since", noon.Add(-24 * time.Hour), "why", "nobody", "outcome", "exited", "detail", "", "freed_bytes", uint64(4_600_000), "id", "3f2a"},
			"server playwright-mcp 69, left by codex 40, was reaped (exited, 4.6 MB freed): orphaned, first seen 2026-11-25 12:00:00, rule orphaned-servers"},
		{"a copy of a client that lives was reaped", "reaped", []any{"rule", "duplicates", "target", "69:1234", "kind", "server", "name", "git", "owner", "codex", "owner_pid", 40, "owner_liveness", word("live"), "finding", "duplicate",
			"since", noon, "outcome", "exited", "detail", "1 process exited within 20ms of being asked", "freed_bytes", uint64(0)},
			"server git 69 of codex 40 was reaped (1 process exited within 20ms of being asked): an older copy, first seen 12:00:00, rule duplicates"},
		{"a gateway collects zombies", "pending", []any{"rule", "zombie-gateways", "target", "178:1", "name", "docker-mcp-gateway", "finding", "zombies", "due", noon.Add(10 * time.Second), "owner", "claude-code", "owner_pid", 166, "owner_liveness", word("live")},
			"docker-mcp-gateway 178 of claude-code 166 collects zombies: due at 12:00:10 by rule zombie-gateways"},
		{"a container has exited", "pending", []any{"rule", "exited-leftovers", "target", "2fbea5720509aaaa", "name", "unifi-mcp-server", "finding", "exited", "due", noon},
			"unifi-mcp-server 2fbea5720509 has exited: due at 12:00:00 by rule exited-leftovers"},
		{"the policy's file has changed", "policy read again", []any{"changed", true, "mode", word("enforce"), "policy", "/etc/reaperd/policies.yaml", "sha256", "9d93", "schedule", "@every 30s", "next", []string{"2026-11-26T12:00:30Z"}, "rules", 12},
			"policy read again: it has changed; reaperd goes by /etc/reaperd/policies.yaml (12 rules) in mode enforce. It sweeps when a session ends and by the schedule @every 30s, next at 12:00:30."},
		{"a hangup", "policy read again", []any{"changed", false, "policy", "builtin"}, "policy read again: it is as before; reaperd goes by builtin."},
		{"what a changed policy says", "first sweep by the changed policy", []any{"due", 2, "pending", 1}, "by the changed policy 2 due now, 1 pending"},
		{"a container of that name", "pending", []any{"rule", "orphaned-containers", "target", "2fbea5720509aaaa", "container", "eager_fermi", "name", "weather-mcp", "finding", "orphaned", "due", noon},
			"weather-mcp eager_fermi is orphaned: due at 12:00:00 by rule orphaned-containers"},
		{"it ended before it was due", "ended otherwise", []any{"name", "weather-mcp", "target", "556:1", "owner", "claude-code", "owner_pid", 537, "owner_liveness", word("gone"), "rule", "orphaned-servers"},
			"weather-mcp 556, left by claude-code 537, has ended, not by this reaperd"},
		{"due in a pause", "held back", []any{"name", "weather-mcp", "target", "556:1", "owner", "claude-code", "owner_pid", 537, "owner_liveness", word("gone"), "rule", "orphaned-servers", "finding", "orphaned", "why", "it is paused"},
			"weather-mcp 556, left by claude-code 537, is due by rule orphaned-servers, and stays: it is paused"},
		{"it stays", "no longer due", []any{"name", "git", "target", "69:1234", "rule", "duplicates", "why", "codex owns it"}, "git 69 is no longer due: codex owns it"},
		{"a pause without an end", "paused", []any{"until", time.Time{}, "reason", "", "by_uid", 0}, "paused until it is resumed: nothing is reaped"},
		{"a pause with an end and a reason", "paused", []any{"until", noon.Add(time.Hour), "reason", "a demo", "by_uid", 0}, "paused until 13:00:00 (a demo): nothing is reaped"},
		{"somebody ended it", "resumed", []any{"mode", word("enforce")}, "resumed: what is due is reaped again"},
		{"somebody ended it, of a daemon that only reports", "resumed", []any{"mode", word("report")}, "resumed: mode report acts on nothing all the same"},
		{"a pin", "pinned", []any{"name", "git", "target", "69:1234", "until", time.Time{}, "reason", "mine", "by_uid", 0}, "git 69 is pinned until it is unpinned (mine)"},
		{"an act that did nothing", "not reaped", []any{"target", "69:1234", "kind", "server", "name", "git", "owner", "", "since", time.Time{}, "outcome", "changed", "freed_bytes", uint64(0)},
			"server git 69 was not reaped (changed)"},
		{"any other record", "configuration not used", []any{"file", "/home/dev/.claude.json", "why", "line 3", "took", 90 * time.Second, "lost_bytes", uint64(2_000_000), "secret", "hunter2"},
			"configuration not used: line 3 (file /home/dev/.claude.json, took 1m 30s, lost 2.0 MB)"},
		{"an error and nothing else", "journal", []any{"err", errors.New("no space left")}, "journal: no space left"},
		{"text of others steers no terminal", "journal", []any{"err", "a\x1b[2Jb\nc"}, "journal: a?[2Jb c"},
	} {
		h, out := on(1000, false)
		handle(t, h, noon, slog.LevelInfo, row.message, row.args...)
		if got := strings.TrimSuffix(out.String(), "\n"); got != row.want {
			t.Errorf("%s:\n%s, want\n%s", row.name, got, row.want)
		}
	}
}

func TestLinesAreBrokenAtWordsBelowTheirText(t *testing.T) {
	h, out := on(40, true)
	handle(t, h, noon, slog.LevelWarn, "the policy's folder cannot be watched; SIGHUP reads it again", "err", "no such file")
	handle(t, h, noon.Add(time.Second), slog.LevelError, "stuck")
	handle(t, h, noon.Add(13*time.Hour), slog.LevelInfo, "looked")
	const want = `12:00:00  warning: the policy's folder
          cannot be watched; SIGHUP
          reads it again: no such file
12:00:01  error: stuck
2026-11-27
01:00:00  looked
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}

func TestEachFaultOfAPolicyHasALineOfItsOwn(t *testing.T) {
	h, out := on(60, true)
	h.options.Home = "/home/dev"
	handle(t, h, noon, slog.LevelError, "policy refused; the one before holds",
		"faults", []string{"/home/dev/policies.yaml:3: unknown mode \"enforced\"", "/home/dev/policies.yaml:7: a key\nof two lines that is \x1b[2Jlong"},
		"hint", "reaperd policy check /home/dev/policies.yaml says when it is mended")
	const want = `12:00:00  error: policy refused; the one before holds
          ~/policies.yaml:3: unknown mode "enforced"
          ~/policies.yaml:7: a key of two lines that is
          ?[2Jlong
          hint: reaperd policy check ~/policies.yaml says
          when it is mended
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}

func TestWithoutTimesALineLooksLikeARemark(t *testing.T) {
	h, out := on(40, false)
	handle(t, h, noon, slog.LevelWarn, "configuration not used", "why", "not valid JSON5: line 3", "file", "/a")
	const want = `warning: configuration not used: not
         valid JSON5: line 3 (file /a)
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}

func TestAttributesOfALoggerAreInEachRecord(t *testing.T) {
	h, out := on(100, false)
	log := slog.New(h).With("pid", 7, "secret", "hunter2").WithGroup("engine")
	log.Info("event", "action", "die")
	log.Debug("not written")
	if got := out.String(); got != "event (pid 7, engine.action die)\n" {
		t.Errorf("got %q", got)
	}
	if h.Enabled(context.Background(), slog.LevelDebug) {
		t.Error("debug is enabled")
	}
}

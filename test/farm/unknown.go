//go:build linux

package farm

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The text around the line of policy in the evidence about an unknown client.
const (
	beforeLine = "in policies.yaml, "
	behindLine = " makes it one"
)

// Unknown checks that a report names a part as an orphaned session of an unknown client,
// that reaperd leaves it alone, and that the line of policy in its evidence makes reaperd
// recognise it.
func (l *Live) Unknown(t *testing.T, report *Report, name string) {
	t.Helper()
	being := l.Being(t, name)
	target, ok := report.Of(being)
	if !ok || target.Kind != "session" || target.Finding != "orphaned" || target.Decision == "reap" {
		t.Errorf("%s: want an orphaned session that is left alone, got %v", name, target)
		return
	}
	line, ok := target.taught(t)
	if !ok {
		t.Errorf("%s: its evidence has no line of policy: %v", name, target)
		return
	}
	before := l.World.Rules
	l.Rule(Impatient + line + "\n")
	taught := l.Scan(t)
	l.Rule(before)
	if !slices.ContainsFunc(taught.Sessions, func(s Session) bool { return s.ID == being.String() && s.Servers > 0 }) {
		t.Errorf("%s: the policy says %q, and the sessions are %v", name, line, taught.Sessions)
	}
}

// taught returns the line of policy in the evidence about a target.
func (t Target) taught(test *testing.T) (line string, ok bool) {
	test.Helper()
	var evidence []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(t.Evidence, &evidence); err != nil {
		test.Fatalf("evidence: %v\n%s", err, t.Evidence)
	}
	for _, e := range evidence {
		_, rest, found := strings.Cut(e.Text, beforeLine)
		if line, _, ends := strings.Cut(rest, behindLine); found && ends {
			return line, true
		}
	}
	return "", false
}

// AwaitRounds waits until a real program has got two more rounds of answers from all its
// servers. The program counts rounds in the file NAME.rounds.
func (l *Live) AwaitRounds(t *testing.T, name string) {
	t.Helper()
	first := l.rounds(name)
	Eventually(t, name+" has had two more rounds of answers", func() bool { return l.rounds(name) >= first+2 })
}

// rounds returns how often all servers have answered.
func (l *Live) rounds(name string) int {
	text, err := l.Folder.Read(name + ".rounds")
	if err != nil {
		return 0
	}
	count, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		return 0
	}
	return count
}

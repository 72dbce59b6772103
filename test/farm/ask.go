//go:build linux

package farm

import (
	"encoding/json"
	"testing"

	"github.com/reaperd/reaperd/test/farm/actor"
	"golang.org/x/sys/unix"
)

// Answers reports who answers a part that holds their streams.
func (l *Live) Answers(t *testing.T, asker string) map[string]bool {
	t.Helper()
	return l.ask(t, asker).From
}

// ask has a part ping everybody whose streams it holds, and waits for what it says.
func (l *Live) ask(t *testing.T, asker string) (answers actor.Answers) {
	t.Helper()
	before := l.answers(t, asker).Turn
	being := l.Being(t, asker)
	if !being.Alive() {
		t.Errorf("%s is to ask and is dead", asker)
		return answers
	}
	if err := unix.Kill(being.PID, unix.SIGUSR1); err != nil {
		t.Fatalf("ask %s: %v", asker, err)
	}
	Eventually(t, asker+" has asked", func() bool {
		answers = l.answers(t, asker)
		return answers.Turn > before
	})
	return answers
}

// answers is what a part said last; the zero value before it was asked.
func (l *Live) answers(t *testing.T, asker string) (answers actor.Answers) {
	t.Helper()
	text, err := l.Folder.Read(asker + ".answers")
	if err != nil {
		return answers
	}
	if err := json.Unmarshal([]byte(text), &answers); err != nil {
		t.Fatalf("answers of %s: %v", asker, err)
	}
	return answers
}

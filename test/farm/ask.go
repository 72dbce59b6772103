//go:build linux

package farm

import (
	"encoding/json"
	"testing"

	"github.com/reaperd/reaperd/test/farm/actor"
	"golang.org/x/sys/unix"
)

// Answers reports which of the parts that hold the asker's streams answer it.
func (l *Live) Answers(t *testing.T, asker string) map[string]bool {
	t.Helper()
	return l.ask(t, asker).From
}

// ask makes a part ping every part whose streams it holds, and waits for its answers.
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

// answers returns the last answers of a part; the zero value before it was asked.
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

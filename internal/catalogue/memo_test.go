package catalogue

import (
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
)

func TestAMemoForgetsWhatChanged(t *testing.T) {
	asked := 0
	counting := New(Extra{Servers: []Entry{{Name: "x", Matches: func(p *inventory.Process) bool {
		asked++
		return p.Argv[0] == "x"
	}}}})
	memo := Remember(counting)
	shell := []string{"bash"}
	for _, c := range []struct {
		name    string
		process inventory.Process
		asked   int
		role    inventory.Role
	}{
		{"the first time", inventory.Process{PID: 7, Start: 1, Argv: shell}, 1, inventory.RoleNone},
		{"again", inventory.Process{PID: 7, Start: 1, Argv: shell}, 1, inventory.RoleNone},
		{"after exec", inventory.Process{PID: 7, Start: 1, Argv: []string{"x"}}, 2, inventory.RoleServer},
		{"the PID of another process", inventory.Process{PID: 7, Start: 2, Argv: shell}, 3, inventory.RoleNone},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := memo.Process(&c.process).Role; got != c.role || asked != c.asked {
				t.Errorf("role %v after %d questions, want %v after %d", got, asked, c.role, c.asked)
			}
		})
	}
	memo.Forget()
	memo.Process(&inventory.Process{PID: 7, Start: 2, Argv: shell})
	memo.Forget()
	memo.Forget()
	if len(memo.known) != 0 {
		t.Errorf("what nobody asked for any more is still remembered: %v", memo.known)
	}
	if asked != 3 {
		t.Errorf("asked %d times, want 3", asked)
	}
}

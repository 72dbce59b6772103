package main

import (
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/terminal"
	"github.com/reaperd/reaperd/test/standin"
)

func TestPinAsksOnATerminalWhereANameMeansSeveral(t *testing.T) {
	d := ownState(t)
	one, two := standin.Server(t, "mcp-server-pinasked"), standin.Server(t, "mcp-server-pinasked")
	name := pinnableName(t, one)
	for _, row := range []struct {
		says   string
		args   []string
		answer string // empty: nobody is asked
		want   int    // pins
		code   int
	}{
		{"no", []string{name}, "n\r", 0, exitOK},
		{"yes", []string{name}, "y\r", 2, exitOK},
		{"not to be asked", []string{name, "--yes"}, "", 2, exitOK},
		{"a pattern is meant as it is typed", []string{name + "*"}, "", 2, exitOK},
		{"a PID is one", []string{two}, "", 1, exitOK},
		{"another word means nothing: that is told at once", []string{name, "no-such-thing"}, "", 0, exitFailed},
	} {
		command(t, "unpin", "--all")
		keys, program := pseudoTerminal(t)
		done := make(chan int)
		go func() {
			done <- run(t.Context(), append([]string{"pin"}, row.args...), terminal.Terminal{In: program, Out: program, Err: program})
		}()
		if row.answer != "" {
			awaitText(t, keys, "Pin all of them? [y/N] ")
			if _, err := keys.WriteString(row.answer); err != nil {
				t.Fatal(err)
			}
		}
		if code := <-done; code != row.code {
			t.Errorf("%s: exit %d, want %d", row.says, code, row.code)
		}
		if pins, err := d.Pins("", time.Now()); err != nil || len(pins) != row.want {
			t.Errorf("%s: %d pins, %v", row.says, len(pins), err)
		}
	}
	if got := command(t, "pin", name); got.code != exitOK || strings.Count(got.out, "Pinned ") != 2 {
		t.Errorf("off a terminal: %+v", got)
	}
}

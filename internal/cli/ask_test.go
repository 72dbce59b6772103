package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestOnlyYesIsAYes(t *testing.T) {
	for answer, want := range map[string]bool{
		"y\n": true, "Y\n": true, " yes \n": true, "yes": true,
		"": false, "\n": false, "n\n": false, "yess\n": false, "yes please\n": false, "\x03y\n": false,
	} {
		var said bytes.Buffer
		asked := &Terminal{In: strings.NewReader(answer), Err: &said}
		yes, err := asked.Ask(t.Context(), "Stop these 4?", "Nothing stopped.")
		if yes != want || err != nil || strings.Contains(said.String(), "Nothing stopped.") == want {
			t.Errorf("%q is %v, %v, and it says %q", answer, yes, err, said.String())
		}
	}
}

// TestTheLineOfAQuestionEndsWithTheWait: however the wait ends, what is written after the
// question begins on a new line.
func TestTheLineOfAQuestionEndsWithTheWait(t *testing.T) {
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	silent, person := io.Pipe() // nobody types
	defer person.Close()
	for _, row := range []struct {
		world string
		ctx   context.Context
		in    io.Reader
		want  string
		err   error
	}{
		{"a signal", interrupted, silent, "\nStop these 4? [y/N] \nNothing stopped.\n", context.Canceled},
		{"the input ends", t.Context(), strings.NewReader(""), "\nStop these 4? [y/N] \nNothing stopped.\n", nil},
		{"the input ends behind a word", t.Context(), strings.NewReader("n"), "\nStop these 4? [y/N] \nNothing stopped.\n", nil},
		{"a no ends the line itself", t.Context(), strings.NewReader("n\n"), "\nStop these 4? [y/N] Nothing stopped.\n", nil},
	} {
		var said bytes.Buffer
		asked := &Terminal{In: row.in, Err: &said}
		if _, err := asked.Ask(row.ctx, "Stop these 4?", "Nothing stopped."); !errors.Is(err, row.err) || said.String() != row.want {
			t.Errorf("%s: %v, said %q, want %q", row.world, err, said.String(), row.want)
		}
	}
}

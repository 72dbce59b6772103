package actor

import (
	"io"
	"strings"
	"testing"
	"time"
)

func TestAnswerOncePerPing(t *testing.T) {
	var said strings.Builder
	answer(strings.NewReader("noise\n{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n{\"id\":8}\n"), &said, false)
	if got, want := said.String(), "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPingTellsAnAnswerFromSilence(t *testing.T) {
	theirIn, ourOut := io.Pipe()
	ourIn, theirOut := io.Pipe()
	go func() {
		answer(theirIn, theirOut, true) // one answer, then nobody is there
		theirOut.Close()
		theirIn.Close()
	}()
	caller := newCaller(ourOut, ourIn)
	if !caller.ping(time.Minute) {
		t.Error("first ping: no answer")
	}
	if caller.ping(time.Minute) {
		t.Error("second ping: an answer from nobody")
	}
}

func TestWalkVisitsParentsFirst(t *testing.T) {
	var names []string
	Walk([]Part{{Name: "npm", Children: []Part{{Name: "sh", Children: []Part{{Name: "node"}}}}}, {Name: "uv"}}, func(part *Part) {
		names = append(names, part.Name)
	})
	if got := strings.Join(names, " "); got != "npm sh node uv" {
		t.Errorf("got %s", got)
	}
}

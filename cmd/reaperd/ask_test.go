package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

func TestOnlyYesIsAYes(t *testing.T) {
	for answer, want := range map[string]bool{
		"y\n": true, "Y\n": true, " yes \n": true, "yes": true,
		"": false, "\n": false, "n\n": false, "yess\n": false, "yes please\n": false, "\x03y\n": false,
	} {
		var said bytes.Buffer
		s := &shared{terminal: terminal{in: strings.NewReader(answer), err: &said}}
		yes, err := s.ask(t.Context(), "Stop these 4?", "Nothing stopped.")
		if yes != want || err != nil || strings.Contains(said.String(), "Nothing stopped.") == want {
			t.Errorf("%q is %v, %v, and it says %q", answer, yes, err, said.String())
		}
	}
}

func TestASignalEndsTheWaitForAnAnswer(t *testing.T) {
	nobody, closer := io.Pipe()
	defer closer.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	s := &shared{terminal: terminal{in: nobody, err: io.Discard}}
	yes, err := s.ask(ctx, "Stop these 4?", "Nothing stopped.")
	if yes || !errors.Is(err, context.Canceled) || conclude(ctx, io.Discard, err) != exitInterrupted {
		t.Errorf("got %v, %v", yes, err)
	}
}

// asker asks one question on a terminal, as sweep, install and wrap do.
func asker() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := &shared{terminal: terminal{in: os.Stdin, out: os.Stdout, err: os.Stderr}}
	_, err := s.ask(ctx, "Stop these 4?", "Nothing stopped.")
	os.Exit(conclude(ctx, os.Stderr, err))
}

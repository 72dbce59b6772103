package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/reaperd/reaperd/internal/cli"
)

func TestASignalEndsTheWaitForAnAnswer(t *testing.T) {
	nobody, closer := io.Pipe()
	defer closer.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	s := &shared{Terminal: cli.Terminal{In: nobody, Err: io.Discard}}
	yes, err := s.Ask(ctx, "Stop these 4?", "Nothing stopped.")
	if yes || !errors.Is(err, context.Canceled) || conclude(ctx, &s.Terminal, "", err) != exitInterrupted {
		t.Errorf("got %v, %v", yes, err)
	}
}

// asker asks one question on a terminal, as sweep, install and wrap do.
func asker() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := &shared{Terminal: cli.Terminal{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}}
	_, err := s.Ask(ctx, "Stop these 4?", "Nothing stopped.")
	os.Exit(conclude(ctx, &s.Terminal, "", err))
}

//go:build linux

package top_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/top"
	"github.com/reaperd/reaperd/test/farm"
)

// envPanics has the test binary draw on its terminal and panic.
const envPanics = "TOP_PANICS"

func panics() {
	on, err := top.Open(false)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer on.Close()
	trap := top.Host{Ask: func(context.Context) (top.Decider, error) { panic("at the first look") }}
	_ = top.Run(context.Background(), on, trap, top.New(top.Options{}, time.Now()))
}

func TestTheTerminalIsGivenBackAfterAPanic(t *testing.T) {
	command := exec.CommandContext(t.Context(), os.Args[0])
	command.Env = append(os.Environ(), envPanics+"=1")
	it := run(t, command)
	it.ends(2)
	farm.Eventually(t, "what it panicked with is on the screen that it left", func() bool {
		_, after, left := strings.Cut(it.Written(), leaveScreen)
		return left && strings.Contains(after, "at the first look")
	})
}

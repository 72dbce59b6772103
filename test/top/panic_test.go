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
	"github.com/reaperd/reaperd/internal/top/screen"
	"github.com/reaperd/reaperd/test/farm"
)

// envPanics has the test binary draw on its terminal and panic.
const envPanics = "TOP_PANICS"

// trap is a world that panics at its first look.
type trap struct{}

func (trap) Next(context.Context) top.Seen                                    { panic("at the first look") }
func (trap) Hurry()                                                           {}
func (trap) Look()                                                            {}
func (trap) Do(context.Context, top.Effect, func(top.Question) bool) top.Said { return top.Said{} }

func panics() {
	on, err := screen.Open(false)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer on.Close()
	_ = screen.Run(context.Background(), on, trap{}, top.New(top.Options{}, time.Now()))
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

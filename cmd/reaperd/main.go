// reaperd reaps MCP servers and containers that no live agent session owns.
//
// The rules of the command line:
//
//   - stdout is the answer, stderr is talk. Nothing to list is a sentence on stderr.
//   - -o is always the format, and every reading command has it.
//   - Every flag but exec's --name has an environment variable, REAPERD_<FLAG>; a
//     flag beats it, it beats the policy file.
//   - An error is one line, "error: thing: what", and where something can be done
//     about it a "hint: " line with the command to type.
//   - Exit codes: 0 did as asked, 1 could not, 2 asked wrongly, 3 something would
//     be reaped (scan --exit-code), 4 incomplete, 130 interrupted.
//   - No command acts unless its name says so: sweep and run.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/demo"
	"github.com/reaperd/reaperd/internal/state"
)

func main() {
	if code, plays := demo.Play(os.LookupEnv); plays {
		os.Exit(code)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], cli.Terminal{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Home: state.Home()}))
}

// reaperd reaps MCP servers and containers that no live agent session owns.
//
// The rules of the command line: stdout is the answer, stderr is talk; -o is always the format;
// every flag but exec's --name has a variable, REAPERD_<FLAG>; a flag beats it, it beats the
// policy file. An error is one line, "error: thing: what", with a "hint: " line where something
// can be done. Exit codes: `reaperd help exit-codes`. No command acts unless its name says so:
// sweep and run, and top by a key.
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

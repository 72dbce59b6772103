package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/supervise"
	"github.com/reaperd/reaperd/internal/supervise/tie"
)

const execHelp = `Runs an MCP server for a client and leaves nothing of it when the client has gone. It
is for the "command" of a server in a client's configuration; "reaperd wrap" puts it there.

The server inherits stdin, stdout and stderr: nothing is copied. Signals are passed on,
and the exit status is the server's own: 128+n for signal n, 127 if there is no such
program, 126 if it cannot be run.

The client has gone when the other end of stdin is closed, or, where stdin is no pipe,
socket or terminal, when the parent ends. Then the server has half of the grace to end
by itself, everything it started gets SIGTERM, and at the end of the grace SIGKILL. A
server that answers a batch after the end of its input may need a longer grace.

docker, podman and nerdctl "run" get a cid file and the labels reaperd.owner and
reaperd.session, and their container is stopped by its id. A run inside of a shell's
line is left as it is.`

func newExec(s *shared) *cobra.Command {
	line := supervise.Line{}
	cmd := &cobra.Command{
		Use:                   "exec [--grace D] [--name N] -- COMMAND [ARG…]",
		DisableFlagsInUseLine: true, // behind COMMAND they are the server's
		Short:                 "Run an MCP server, and end all of it when its client has gone",
		Long:                  execHelp,
		Example:               "  reaperd exec -- npx -y @modelcontextprotocol/server-memory\n  reaperd exec --grace 10s --name time -- docker run -i --rm mcp/time",
		RunE: func(_ *cobra.Command, args []string) error {
			line.Args = args
			return s.execServer(line)
		},
	}
	cmd.Flags().SetInterspersed(false)
	cmd.Flags().DurationVar(&line.Grace, "grace", supervise.DefaultGrace, "from the end of the client to SIGKILL")
	cmd.Flags().StringVar(&line.Name, "name", "", "the server's `NAME` in the client's configuration, for the process table")
	return cmd
}

func (s *shared) execServer(line supervise.Line) error {
	switch {
	case len(line.Args) == 0:
		return advice.Misused("reaperd exec -- npx -y @modelcontextprotocol/server-memory", "exec: no command to run")
	case line.Args[0] == "":
		return advice.Misused("", "exec: the command is an empty word: is a variable of the command line not set?")
	case line.Grace < time.Millisecond:
		return advice.Misused("", "--grace %s: want more than nothing", line.Grace)
	}
	unknown, err := tie.Container(&line)
	if err != nil {
		return advice.Failed("", "prepare the container: %w", err)
	}
	if unknown != "" {
		s.Remark("reaperd exec: " + unknown + " is a flag that is not known: the container is not tied to its client")
	}
	return superviseServer(line)
}

package main

import (
	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/policy"
)

// plainWidth is the width of the help where there is no terminal, and proseWidth its
// greatest.
const plainWidth, proseWidth = 80, 100

// helpWidth returns the number of columns that the help may take.
func (s *shared) helpWidth() int {
	if s.Columns == 0 && !cli.IsTerminal(s.Out) {
		return plainWidth
	}
	return min(s.Width(), proseWidth)
}

// helpTopics are commands without a run: cobra lists them as topics.
func helpTopics() []*cobra.Command {
	return []*cobra.Command{
		{Use: cli.Everything, Short: "Every command"},
		{Use: "environment", SuggestFor: []string{"env", "variables"}, Short: "Variables and files that reaperd reads", Long: environmentHelp},
		{Use: "findings", SuggestFor: []string{"words", "glossary"}, Short: "What can be wrong with a server, container or session", Long: policy.Glossary()},
		{Use: "exit-codes", SuggestFor: []string{"exit", "exit-code", "codes"}, Short: "What the exit codes mean", Long: exitCodesHelp},
	}
}

// firstPage are the commands of the help's first page.
func firstPage() []string {
	return []string{"scan", "top", "explain", "sweep", "pin", "pause", "status", "history", "page", "install", "wrap"}
}

// groups are the commands in the order of the help, by purpose.
func groups() []cli.Commands {
	return []cli.Commands{
		{Title: "Look:", Names: []string{"scan", "top", "explain", "status", "page", "history"}},
		{Title: "Act, or not:", Names: []string{"sweep", "pin", "unpin", "pins", "pause", "resume"}},
		{Title: "The daemon:", Names: []string{"run", "install", "uninstall", "policy", "health"}},
		{Title: "Servers as clients start them:", Names: []string{"discover", "exec", "wrap", "mcp"}},
		{Title: "More:", Names: []string{"demo", "doctor", "snapshot", "schema", "completion", "version", "help"}},
	}
}

const exitCodesHelp = `Exit codes of every command:

  0    did as asked; nothing to do, answered no, and left alone because it
       changed are this too
  1    could not: what was named is not there, this host could not be looked
       at, the answer could not be written; status, health, doctor: something
       is wrong
  2    asked wrongly: flags, a policy file or a snapshot that is not there or
       has faults, no --yes where nobody can be asked, a policy of mode report;
       run takes the file once it is mended, and does not exit
  3    scan --exit-code: something would be reaped; status, page: no daemon
       runs; wrap --check: a server is not wrapped
  4    incomplete: a source, or a client's file, that is there could not be
       read, or an act failed or left something behind; beats 3
  64   run, started by systemd: asked wrongly, so that it is not started again;
       a crash ends with 2
  130  interrupted; run and page end with 0 then: they go on until they are

exec passes the status of its server on: 128+n for signal n, 126 and 127 where the server
cannot be run or is not there.

Treat a code that is not listed as a failure.`

const environmentHelp = `Every flag but exec's --name has a variable: its name in capitals, with "_" for "-".

  REAPERD_POLICIES     --policies      REAPERD_SETTLE       --settle
  REAPERD_OUTPUT       --output        REAPERD_MODE         --mode
  REAPERD_LOG_LEVEL    --log-level     REAPERD_LOG_FORMAT   --log-format
  REAPERD_COLOR        --color         REAPERD_JOURNAL      --journal
  REAPERD_GRACE        --grace         REAPERD_PROGRAM      --program

A flag beats its variable, the variable beats the policy file.

The policy is ~/.config/reaperd/policies.yaml, else /etc/reaperd/policies.yaml, else the built-in one.
Journal, pins and pause are in REAPERD_STATE_DIR, an absolute path; else in /var/lib/reaperd for
root, in ~/.local/state/reaperd for a user.

Also read: DOCKER_HOST, DOCKER_CONTEXT and DOCKER_CONFIG as docker does; XDG_CONFIG_HOME and
XDG_STATE_HOME; NO_COLOR and CLICOLOR_FORCE; COLUMNS; LC_ALL, LC_CTYPE and LANG.

Variables that reaperd looks for in the environment of other processes:

  REAPERD_KEEP=1       keep this process's server
  REAPERD_OWNER=MARK   who owns this server (exec): PID:START[:BOOT:PIDNS]
  OPENCODE_PID         the opencode session that started it`

const helpHelp = `Explains a command or a topic. "reaperd help all" lists them, and "reaperd COMMAND --help"
says the same of a command.`

// explainLibrary words the help of the commands that the library brings.
func explainLibrary(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Short, cmd.Long = "Explain a command or a topic", helpHelp
		case "completion":
			cmd.Short = "Print the completion script of a shell"
		}
	}
}

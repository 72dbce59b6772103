package graph

import (
	"os"
	"strings"
	"testing"
	"time"
)

// TestTheDocumentationShowsTheTableOfChannels, line by line.
func TestTheDocumentationShowsTheTableOfChannels(t *testing.T) {
	code, err := os.ReadFile("channels.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/ownership.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(code)) {
		row, isRow := strings.CutPrefix(line, "//\t|")
		if !isRow {
			continue
		}
		rows++
		if !strings.Contains(string(page), "\n|"+row) {
			t.Errorf("docs/ownership.md lacks |%s", row)
		}
	}
	if rows < 12 {
		t.Errorf("channels.go has %d rows", rows)
	}
}

// TestEveryChannelKeeps has for each row of the table of channels a world in which somebody
// may still use the server, and the same world with that channel closed.
func TestEveryChannelKeeps(t *testing.T) {
	const init = "1 0 1 0 null null init\n"
	for _, c := range []struct{ row, open, kept, closed, gone string }{
		{
			"anonymous pipe on stdin",
			"58 1 44 3 pa@7 pb! node /x/x-mcp", "58 none live",
			"58 1 44 3 pa! pb! node /x/x-mcp", "58 orphaned gone",
		},
		{
			"an end that the tree has itself: descriptors are in flight to somebody else",
			"58 1 44 3 pa@58 pb! node /x/x-mcp\n30 1 30 1 null null agent # inflight=1", "58 none live",
			"58 1 44 3 pa@58 pb! node /x/x-mcp # inflight=1\n30 1 30 1 null null agent # inflight=0", "58 orphaned gone",
		},
		{
			"an end that what is leaked has: descriptors are in flight to somebody else",
			"58 1 44 3 pa@59 pb! node /x/x-mcp\n59 1 44 4 pc! pd! node /y/y-mcp\n30 1 30 1 null null agent # inflight=1", "58 none live\n59 orphaned gone",
			"58 1 44 3 pa@59 pb! node /x/x-mcp\n59 1 44 4 pc! pd! node /y/y-mcp", "58 orphaned gone\n59 orphaned gone",
		},
		{
			"named FIFO: the next caller comes by name",
			"58 1 58 3 pa@/58 pb@/58 node /x/x-mcp", "58 none unknown",
			"58 1 58 3 pa@58 pb@58 node /x/x-mcp", "58 orphaned gone",
		},
		{
			"terminal, /dev/null, file",
			"58 1 58 3 null pb! node /x/x-mcp", "58 none unknown",
			"58 1 58 3 pa! pb! node /x/x-mcp", "58 orphaned gone",
		},
		{
			"stdio of an inner member: its holder is unseen",
			"56 1 56 2 pa! pb! npm exec x-mcp\n58 56 56 3 pc@ pd@ x-mcp", "56 none live",
			"56 1 56 2 pa! pb! npm exec x-mcp\n58 56 56 3 pc! pd! x-mcp", "56 orphaned gone",
		},
		{
			"stdio of an inner member: it could not be told",
			"56 1 56 2 pa! pb! npm exec x-mcp\n58 56 56 3 sc~ sd~ x-mcp", "56 none live",
			"56 1 56 2 pa! pb! npm exec x-mcp\n58 56 56 3 sc! sd! x-mcp", "56 orphaned gone",
		},
		{
			"stdio of an inner member: it reads the root's stdin, and writes to a file",
			"56 1 56 2 pa! pb! npm exec x-mcp\n58 56 56 3 pa! file x-mcp", "56 none unknown",
			"56 1 56 2 pa! pb! npm exec x-mcp\n58 56 56 3 pa! pb! x-mcp", "56 orphaned gone",
		},
		{
			"another descriptor, shared with a live session",
			"44 1 44 1 tty tty claude\n58 44 44 3 sa! sb! node /x/x-mcp # shares=44", "58 none live",
			"44 1 44 1 tty tty claude\n58 44 44 3 sa! sb! node /x/x-mcp # shares=58", "58 disconnected live",
		},
		{
			"another descriptor, shared with somebody whom nobody knows",
			"44 1 44 1 tty tty agent\n58 1 43 3 sa! sb! node /x/x-mcp # shares=44", "58 none live",
			"44 1 44 1 tty tty agent\n58 1 43 3 sa! sb! node /x/x-mcp # shares=58", "58 orphaned gone",
		},
		{
			"another descriptor, shared with an agent that is the first process",
			"58 1 43 3 sa! sb! node /x/x-mcp # shares=1", "58 none live",
			"58 1 43 3 sa! sb! node /x/x-mcp # shares=", "58 orphaned gone",
		},
		{
			"a connection that it opened to a session",
			"44 1 44 1 tty tty claude\n58 1 43 3 sa! sb! node /x/x-mcp # connects=44", "58 none live",
			"44 1 44 1 tty tty postgres\n58 1 43 3 sa! sb! node /x/x-mcp # connects=44", "58 orphaned gone",
		},
		{
			"a connection that it opened to what a session runs",
			"44 1 44 1 tty tty claude\n45 44 44 1 null null broker\n58 1 43 3 sa! sb! node /x/x-mcp # connects=45", "58 none live",
			"44 1 44 1 tty tty claude\n45 1 45 1 null null broker\n58 1 43 3 sa! sb! node /x/x-mcp # connects=45", "58 orphaned gone",
		},
		{
			"what it listens on",
			"58 1 43 3 sa! sb! node /x/x-mcp # listening clients=1", "58 none live in-use",
			"58 1 43 3 sa! sb! node /x/x-mcp # listening clients=0", "58 orphaned gone",
		},
	} {
		t.Run(c.row, func(t *testing.T) {
			expect(t, correlate(t, time.Minute, init+c.open, init+c.open), c.kept)
			expect(t, correlate(t, time.Minute, init+c.closed, init+c.closed), c.gone)
		})
	}
}

// TestWhoGivesAServerItsStdioIsItsClient, whatever it is called.
func TestWhoGivesAServerItsStdioIsItsClient(t *testing.T) {
	const init = "1 0 1 0 null null init\n"
	for _, c := range []struct{ name, world, want string }{
		{"an agent with a server's name, whose supervisor is gone", init + `
			70 1  70 2 pa! pb! mcp_chatbot
			58 70 70 3 sc@70 sd@70 node /x/x-mcp`,
			"70 orphaned unknown unproven\n58 none live"},
		{"and its launcher", init + `
			69 1  70 2 pa! pb! npm exec mcp_chatbot
			70 69 70 2 pa! pb! mcp_chatbot
			58 70 70 3 sc@70 sd@70 node /x/x-mcp`,
			"58 none live"},
		{"without servers it is only likely to be one", init + `
			70 1  70 2 pa! pb! mcp_chatbot`,
			"70 orphaned gone"},
		{"what a session was seen to speak to is left over with its servers", init + `
			44 1  44 1 tty tty claude
			57 44 44 2 sa@44 sb@44 mcp-proxy
			58 57 44 3 pc@57 pd@57 node /x/x-mcp`,
			"57 none live"},
		{"a sibling that has inherited the ends of an older one is no client of its", init + `
			58 1  44 3 pa@59 pb@59 node /x/x-mcp
			59 1  44 4 pc! pd! node /y/y-mcp`,
			"58 orphaned gone\n59 orphaned gone"},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, correlate(t, time.Minute, c.world), c.want) })
	}
}

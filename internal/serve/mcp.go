package serve

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
)

// MCP answers an agent over stdio, in the Model Context Protocol, from the account of a
// decider: which sessions there are, what leaks, why, and what was done. It only reads. It
// returns when in ends.
func MCP(ctx context.Context, asker account.Asker, version string, in io.ReadCloser, out io.WriteCloser) error {
	return newMCP(asker, version).Run(ctx, &mcp.IOTransport{Reader: in, Writer: out})
}

func newMCP(asker account.Asker, version string) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "reaperd", Version: version}, &mcp.ServerOptions{
		Instructions: "Tells which MCP servers run on this host, which agent sessions own them, and which are left over. Nothing here stops anything.",
	})
	a := answerer{asker}
	reads := &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(bool)}
	mcp.AddTool(server, &mcp.Tool{Name: "sessions", Annotations: reads, Description: "The live agent sessions, with the MCP servers and the memory that each holds, and for how long it has done nothing."}, a.sessions)
	mcp.AddTool(server, &mcp.Tool{Name: "leaks", Annotations: reads, Description: "The MCP servers that nobody uses any more: by whom they were left, what becomes of them and when, and what is kept and why."}, a.leaks)
	mcp.AddTool(server, &mcp.Tool{Name: "explain", Annotations: reads, Description: "Why one process, container or session is in use, leaked or kept: all evidence, the rule, and what would keep it."}, a.explain)
	mcp.AddTool(server, &mcp.Tool{Name: "history", Annotations: reads, Description: "What was stopped, when and why, and how much memory that freed."}, a.history)
	return server
}

// answerer answers the calls of an agent.
type answerer struct{ account.Asker }

type nothingAsked struct{}

// mcpRow is a row of the tree: a session, or what one has left.
type mcpRow struct {
	Name        string   `json:"name" jsonschema:"the session, the session that left them, or what they are"`
	PID         int      `json:"pid,omitempty"`
	Folder      string   `json:"folder,omitempty"`
	State       string   `json:"state" jsonschema:"what is so, and what comes"`
	Servers     []string `json:"servers" jsonschema:"MCP servers, each with a PID or container"`
	MemoryBytes uint64   `json:"memory_bytes,omitempty"`

	id string // of the session that it is
}

type mcpSessions struct {
	Answer   string   `json:"answer"`
	Sessions []mcpRow `json:"sessions"`
}

type mcpLeaks struct {
	Answer string   `json:"answer"`
	Leaked []mcpRow `json:"leaked"`
	Kept   []mcpRow `json:"kept"`
}

type mcpQuestion struct {
	Word string `json:"word" jsonschema:"a PID, the name or id of a container, or the name of a server or session"`
}

type mcpExplanation struct {
	Answer string   `json:"answer"`
	Facts  []string `json:"facts"`
}

type mcpPeriod struct {
	Since string `json:"since,omitempty" jsonschema:"how far back, such as 1h or 7d; a day if it is left out"`
}

type mcpLine struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"`
}

type mcpHistory struct {
	Lines      []mcpLine `json:"lines"`
	FreedBytes uint64    `json:"freed_bytes"`
}

func (a answerer) sessions(ctx context.Context, _ *mcp.CallToolRequest, _ nothingAsked) (*mcp.CallToolResult, mcpSessions, error) {
	seen, err := a.Account(ctx, true)
	if err != nil {
		return nil, mcpSessions{}, err
	}
	out := mcpSessions{Answer: seen.Headline.At(seen.TakenAt), Sessions: []mcpRow{}}
	for _, row := range rowsOf(seen, account.InUse) {
		for _, s := range seen.Sessions {
			if s.ID == row.id {
				row.Name, row.PID, row.Folder, row.State = s.Name, s.PID, s.Cwd, string(s.Fate)+" "+row.State
				out.Sessions = append(out.Sessions, row)
			}
		}
	}
	return nil, out, nil
}

func (a answerer) leaks(ctx context.Context, _ *mcp.CallToolRequest, _ nothingAsked) (*mcp.CallToolResult, mcpLeaks, error) {
	seen, err := a.Account(ctx, true)
	if err != nil {
		return nil, mcpLeaks{}, err
	}
	return nil, mcpLeaks{seen.Headline.At(seen.TakenAt), rowsOf(seen, account.Leaked), rowsOf(seen, account.Kept)}, nil
}

func (a answerer) explain(ctx context.Context, _ *mcp.CallToolRequest, question mcpQuestion) (*mcp.CallToolResult, mcpExplanation, error) {
	told, err := a.Explain(ctx, question.Word)
	if err != nil {
		return nil, mcpExplanation{}, err
	}
	out := mcpExplanation{Answer: told.Answer.At(time.Now()), Facts: []string{}}
	for _, fact := range told.Facts {
		out.Facts = append(out.Facts, strings.TrimSpace(fact.About+": "+fact.Text.At(time.Now())))
	}
	return nil, out, nil
}

func (a answerer) history(ctx context.Context, _ *mcp.CallToolRequest, period mcpPeriod) (*mcp.CallToolResult, mcpHistory, error) {
	back := 24 * time.Hour
	if period.Since != "" {
		var err error
		if back, err = human.ParseDuration(period.Since); err != nil {
			return nil, mcpHistory{}, fmt.Errorf("since: %w", err)
		}
	}
	told, err := a.History(ctx, account.Period{Since: time.Now().Add(-back)})
	if err != nil {
		return nil, mcpHistory{}, err
	}
	out := mcpHistory{Lines: []mcpLine{}, FreedBytes: told.Summary.FreedBytes}
	for _, line := range told.Lines {
		out.Lines = append(out.Lines, mcpLine{line.At, line.Text})
	}
	return nil, out, nil
}

// rowsOf are the rows of one section, with the names of the things that a person counts.
func rowsOf(a *account.Account, fate account.Fate) []mcpRow {
	rows, things := []mcpRow{}, a.ByID()
	for _, section := range a.Sections {
		if section.Fate != fate {
			continue
		}
		for _, r := range section.Rows {
			row := mcpRow{id: r.ID, Name: r.Title, Folder: r.Place, State: r.State.At(a.TakenAt), Servers: []string{}, MemoryBytes: r.MemoryBytes}
			for _, id := range r.Things {
				if t := things[id]; t.Counts() {
					row.Servers = append(row.Servers, t.Called())
				}
			}
			rows = append(rows, row)
		}
	}
	return rows
}

package serve

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/graph"
)

// asked is a decider of a small world: a session with one server, and what another left.
type asked struct{ account.Asker }

func (asked) Account(context.Context, bool) (*account.Account, error) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	return &account.Account{
		TakenAt: noon, Headline: account.Words("1 MCP server leaked, 50 MB; 1 in use."),
		Sessions: []account.Session{{ID: "44:1", Name: "claude-code", PID: 44, Cwd: "/home/dev/web", Fate: account.InUse}},
		Things: []account.Thing{
			{ID: "58:3", Kind: graph.KindServer, Name: "fetch", Handle: "58"},
			{ID: "60:3", Kind: graph.KindServer, Name: "github", Handle: "60"},
		},
		Sections: []account.Section{
			{Fate: account.Leaked, Rows: []account.Row{{ID: "left", Title: "codex 91", State: account.Text{{Text: "ended "}, {Since: noon.Add(-21 * time.Minute)}, {Text: " ago"}}, Things: []string{"60:3"}, MemoryBytes: 50 << 20}}},
			{Fate: account.InUse, Rows: []account.Row{{ID: "44:1", Title: "claude-code 44", State: account.Text{{Since: noon.Add(-2 * time.Hour)}}, Things: []string{"58:3"}}}},
		},
	}, nil
}

func (asked) Explain(_ context.Context, word string) (*account.Explanation, error) {
	if word != "60" {
		return nil, errors.New("nothing here is called " + word)
	}
	return &account.Explanation{Told: account.Told{Answer: account.Words("github 60 is leaked."), Facts: []account.Fact{{About: "owner", Text: account.Words("codex 91, which has ended")}}}}, nil
}

func (asked) History(_ context.Context, period account.Period) (*account.History, error) {
	return &account.History{Summary: account.Sums{FreedBytes: uint64(time.Since(period.Since).Round(time.Hour).Hours())}, Lines: []account.HistoryLine{{Text: "you swept 36 servers, 1.6 GB"}}}, nil
}

// TestAnAgentMayAsk speaks to the server with the protocol's own client.
func TestAnAgentMayAsk(t *testing.T) {
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- MCP(t.Context(), asked{}, "v1", toServer, fromServer) }()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: toClient, Writer: fromClient}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		if !tool.Annotations.ReadOnlyHint || tool.OutputSchema == nil {
			t.Errorf("%s does not say that it only reads, or what it answers", tool.Name)
		}
	}
	for _, row := range []struct {
		tool      string
		arguments map[string]any
		want      string
		fails     bool
	}{
		{"sessions", nil, `{"answer":"1 MCP server leaked, 50 MB; 1 in use.","sessions":[{"folder":"/home/dev/web","name":"claude-code","pid":44,"servers":["fetch 58"],"state":"in use 2h"}]}`, false},
		{"leaks", nil, `{"answer":"1 MCP server leaked, 50 MB; 1 in use.","kept":[],"leaked":[{"memory_bytes":52428800,"name":"codex 91","servers":["github 60"],"state":"ended 21m ago"}]}`, false},
		{"explain", map[string]any{"word": "60"}, `{"answer":"github 60 is leaked.","facts":["owner: codex 91, which has ended"]}`, false},
		{"explain", map[string]any{"word": "7"}, "nothing here is called 7", true},
		{"explain", map[string]any{}, "word", true},
		{"history", map[string]any{"since": "7d"}, `{"freed_bytes":168,"lines":[{"at":"0001-01-01T00:00:00Z","text":"you swept 36 servers, 1.6 GB"}]}`, false},
		{"history", map[string]any{"since": "soon"}, "since: ", true},
	} {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: row.tool, Arguments: row.arguments})
		if err != nil {
			if !row.fails || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%s %v: %v", row.tool, row.arguments, err)
			}
			continue
		}
		got := structured(t, result)
		if result.IsError != row.fails || row.fails && !strings.Contains(got, row.want) || !row.fails && got != row.want {
			t.Errorf("%s %v: error %v: %s, want %s", row.tool, row.arguments, result.IsError, got, row.want)
		}
	}
	fromClient.Close()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("its input has ended, and it has not")
	}
}

// structured is the structured output of a call in canonical form, or the text of an error.
func structured(t *testing.T, result *mcp.CallToolResult) string {
	t.Helper()
	if result.IsError {
		return result.Content[0].(*mcp.TextContent).Text
	}
	var value any
	data, err := json.Marshal(result.StructuredContent)
	if err == nil {
		err = json.Unmarshal(data, &value)
	}
	if err == nil {
		data, err = json.Marshal(value)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestAnAgentAsksTheProgram speaks to `reaperd mcp` with the protocol's own client, where no daemon runs.
func TestAnAgentAsksTheProgram(t *testing.T) {
	command := exec.CommandContext(t.Context(), filepath.Join(programFolder(t), "reaperd"), "mcp")
	command.Env = append(os.Environ(), "REAPERD_STATE_DIR="+t.TempDir(), "DOCKER_HOST=unix:///nowhere.sock")
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"sessions", "leaks", "history"} {
		got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool})
		if err != nil || got.IsError || got.StructuredContent == nil {
			t.Errorf("%s: %v %+v", tool, err, got)
		}
	}
	got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "explain", Arguments: map[string]any{"word": "4194303"}})
	if err != nil || got.IsError {
		t.Errorf("explain: %v %+v", err, got)
	}
	if err := session.Close(); err != nil {
		t.Errorf("it does not end with its input: %v", err)
	}
}

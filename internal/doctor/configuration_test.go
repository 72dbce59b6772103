package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/discover"
)

func TestDoctorSaysWhichConfigurationIsNotUsed(t *testing.T) {
	for _, row := range []struct {
		says, file, state, want string
	}{
		{"a file that is right", `{"mcpServers": {"a": {"command": "a"}}}`, stateOK, "1 configured server in HOME/.claude.json"},
		{"a broken one", "{broken", stateNote, "no client's file names an MCP server\nHOME/.claude.json is not used: line 1: "},
	} {
		t.Run(row.says, func(t *testing.T) {
			home := t.TempDir()
			if err := os.WriteFile(filepath.Join(home, ".claude.json"), []byte(row.file), 0o600); err != nil {
				t.Fatal(err)
			}
			set := discover.New(discover.Options{}).Configured(t.Context(), []discover.Home{{Dir: home, UID: os.Getuid()}}, nil)
			got := configurationSymptom(set)
			if want := strings.ReplaceAll(row.want, "HOME", home); got.State != row.state || !strings.HasPrefix(got.Text, want) {
				t.Errorf("got %s: %s\nwant %s: %s", got.State, got.Text, row.state, want)
			}
			if (got.Remedy == "") != (row.state == stateOK) {
				t.Errorf("the remedy is %q", got.Remedy)
			}
		})
	}
}

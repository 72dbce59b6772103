package wrap

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWhoSharesARepositoryIsThoughtOf(t *testing.T) {
	const server = `{"mcpServers": {"m": {"command": "x"}}}`
	for _, row := range []struct {
		name  string
		files map[string]string
		links map[string]string
		names []string
		undo  bool
		want  string
	}{
		{"a file in a home without a repository", map[string]string{".mcp.json": server}, nil, []string{".mcp.json"}, false, ""},
		{"two files of a repository, one deeper", map[string]string{"shop/.git/HEAD": "", "shop/.mcp.json": server, "shop/web/.vscode/mcp.json": `{"servers": {"m": {"command": "x"}}}`}, nil,
			[]string{"shop/.mcp.json", "shop/web/.vscode/mcp.json"}, false,
			"note: DIR/shop/.mcp.json and DIR/shop/web/.vscode/mcp.json lie in a repository: where that is committed, whoever uses them needs reaperd too; keep *.before-reaperd out of commits"},
		{"a worktree, whose .git is a file", map[string]string{"shop/.git": "gitdir: /x", "shop/.mcp.json": server}, nil, []string{"shop/.mcp.json"}, false,
			"note: DIR/shop/.mcp.json lies in a repository: where that is committed, whoever uses it needs reaperd too; keep *.before-reaperd out of commits"},
		{"a link into a repository", map[string]string{"dotfiles/.git/HEAD": "", "dotfiles/mcp.json": server}, map[string]string{"mcp.json": "dotfiles/mcp.json"}, []string{"mcp.json"}, false,
			"note: DIR/mcp.json lies in a repository: where that is committed, whoever uses it needs reaperd too; keep *.before-reaperd out of commits"},
		{"one that is wrapped already", map[string]string{"shop/.git/HEAD": "", "shop/.mcp.json": `{"mcpServers": {"m": {"command": "reaperd", "args": ["exec", "--", "x"]}}}`}, nil, []string{"shop/.mcp.json"}, false, ""},
		{"undone", map[string]string{"shop/.git/HEAD": "", "shop/.mcp.json": `{"mcpServers": {"m": {"command": "reaperd", "args": ["exec", "--name", "m", "--", "x"]}}}`}, nil, []string{"shop/.mcp.json"}, true, ""},
	} {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range row.files {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, name), []byte(text))
		}
		for name, target := range row.links {
			if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		request := Request{Undo: row.undo, Program: "reaperd"}
		for _, name := range row.names {
			request.Names = append(request.Names, filepath.Join(dir, name))
		}
		plan, err := MakePlan(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(plan.Shared(), dir, "DIR"); got != row.want {
			t.Errorf("%s: got\n%q, want\n%q", row.name, got, row.want)
		}
	}
}

package discover

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
)

func TestACacheKeepsWhatWasDiscovered(t *testing.T) {
	path := filepath.Join(t.TempDir(), "discovered.json")
	set := NewSet([]Server{
		entry("dialpad", "/usr/local/bin/dialpad-messaging"), of(home+"/src/app", "app", "npm", "run", "mcp"),
		{Name: "board", URL: "http://127.0.0.1:8123/sse", File: "x"}, {Name: "far", URL: "https://x.example", File: "y"},
	}, []string{"x", "y", "empty"})
	if err := SaveCache(path, set); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
	loaded, err := LoadCache(path)
	if err != nil {
		t.Fatal(err)
	}
	want := set.Servers()
	for i, got := range loaded.Servers() {
		if compare(got, want[i]) != 0 {
			t.Errorf("got %+v, want %+v", got, want[i])
		}
	}
	if len(loaded.Files()) != 3 || len(loaded.Servers()) != 4 {
		t.Errorf("loaded %d servers of %v", len(loaded.Servers()), loaded.Files())
	}
	p := run("/usr/local/bin/dialpad-messaging")
	if found := Union(Set{}, loaded).Match(&p); found == nil || found.Name != "dialpad" {
		t.Error("what was loaded matches nothing")
	}
	stranger := run("/usr/local/bin/dialpad-messaging")
	stranger.UID = inventory.Known(1001)
	if loaded.Match(&stranger) != nil {
		t.Error("what was loaded matches another user's process")
	}
}

func TestSecretsAreNotSavedAndStillMatch(t *testing.T) {
	const uuid = "123e4567-e89b-12d3-a456-426614174000"
	for _, c := range []struct{ args, want string }{
		{"--token|hunter2|--x", "--token|${hidden}|--x"},
		{"--api-key=hunter2", "--api-key=${hidden}"},
		{"--auth|--verbose", "--auth|--verbose"},
		{"run|-e|GITHUB_TOKEN|-e|NAME=hunter2|img", "run|-e|GITHUB_TOKEN|-e|NAME=${hidden}|img"},
		{"postgres://u:hunter2@h/db", "postgres://${hidden}@h/db"},
		{"https://h/mcp?key=hunter2", "https://h/mcp?key=${hidden}"},
		{"--header|Authorization: Bearer hunter2", "--header|Authorization: Bearer ${hidden}"},
		{"--key|" + uuid, "--key|${hidden}"},
		{"sk-hunter2hunter2", "${hidden}"},
		{"-lc|export API_TOKEN=hunter2; npx -y pkg", "-lc|export API_TOKEN=${hidden}; npx -y pkg"},
		{"-y|@modelcontextprotocol/server-filesystem|/home/dev/notes", "-y|@modelcontextprotocol/server-filesystem|/home/dev/notes"},
		{"--toolsets|actions,issues", "--toolsets|actions,issues"},
		{"--token|${TOKEN}", "--token|${TOKEN}"},
		{"--token=${TOKEN}", "--token=${TOKEN}"},
	} {
		args := strings.Split(c.args, "|")
		saved := withoutSecrets(entry("x", "tool", args...))
		if got := strings.Join(saved.Args, "|"); got != c.want {
			t.Errorf("%s is saved as %s, want %s", c.args, got, c.want)
		}
		p := run(append([]string{"tool"}, args...)...)
		if NewSet([]Server{saved}, nil).Match(&p) == nil {
			t.Errorf("%s does not match what it is of", strings.Join(saved.Args, "|"))
		}
	}
}

func TestACacheThatOthersMayHaveWrittenIsRefused(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const good = `{"version": 1, "servers": [], "files": []}`
	link, fifo := filepath.Join(dir, "link"), filepath.Join(dir, "fifo")
	if err := os.Symlink(write("good", good, 0o600), link); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "good"):              "",
		filepath.Join(dir, "nothing was saved"): "",
		write("group", good, 0o660):             "others can write it",
		link:                                    "symbolic link",
		fifo:                                    "no regular file",
		write("newer", `{"version": 2}`, 0o600): "version 2, want 1",
		write("broken", `{`, 0o600):             "unexpected end of JSON input",
		write("deep", strings.Repeat("[", 1<<20), 0o600):     "exceeded max depth",
		write("wrong", `{"version":1,"servers":[5]}`, 0o600): "cannot unmarshal",
	} {
		set, err := LoadCache(path)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
		if len(set.Servers()) > 0 {
			t.Errorf("%s: servers of a cache that was refused", path)
		}
	}
}

func TestACacheThatCannotBeSavedIsAnError(t *testing.T) {
	if err := SaveCache(filepath.Join(t.TempDir(), "no", "folder"), Set{}); err == nil {
		t.Error("saved where there is no folder")
	}
}

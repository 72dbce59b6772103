package discover

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// world is a home with files, and what a discoverer made of it so far.
type world struct {
	t    *testing.T
	home Home
	d    *Discoverer
}

// patient makes a Discoverer that waits for a busy machine: every file here answers.
func patient(options Options) *Discoverer {
	d := New(options)
	d.asker.Within, d.most = time.Minute, time.Hour
	return d
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir()) // what the system would call it
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, home: Home{filepath.Join(dir, "home"), os.Geteuid()}, d: patient(Options{})}
	w.mkdir(w.home.Dir)
	for above := dir; above != os.TempDir() && above != "/"; above = filepath.Dir(above) {
		if err := os.Chmod(above, 0o755); err != nil { // another user has to reach the home
			break
		}
	}
	return w
}

func (w *world) mkdir(dir string) {
	w.t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		w.t.Fatal(err)
	}
}

// path is that of a name in the home; an absolute path stays.
func (w *world) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(w.home.Dir, name)
}

func (w *world) write(name, text string) string {
	w.t.Helper()
	file := w.path(name)
	w.mkdir(filepath.Dir(file))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return file
}

func (w *world) link(target, name string) {
	w.t.Helper()
	w.mkdir(filepath.Dir(w.path(name)))
	if err := os.Symlink(target, w.path(name)); err != nil {
		w.t.Fatal(err)
	}
}

// outside is a folder beside the home.
func (w *world) outside(name string) string {
	return filepath.Join(filepath.Dir(w.home.Dir), name)
}

// look returns the names of the servers and the texts of the warnings, without
// the path of the home.
func (w *world) look(workdirs ...string) (names, warnings []string) {
	w.t.Helper()
	var dirs []Workdir
	for _, dir := range workdirs {
		dirs = append(dirs, Workdir{w.path(dir), w.home.UID})
	}
	set, found := w.d.Configured(context.Background(), []Home{w.home}, dirs)
	for _, s := range set.Servers() {
		names = append(names, s.Name)
	}
	for _, warning := range found {
		warnings = append(warnings, strings.TrimPrefix(said(warning), w.home.Dir+"/"))
	}
	slices.Sort(names)
	return names, warnings
}

// want compares what a look found.
func (w *world) want(what string, names, wantNames, warnings, wantWarnings []string) {
	w.t.Helper()
	if !slices.Equal(names, wantNames) {
		w.t.Errorf("%s: servers %q, want %q", what, names, wantNames)
	}
	if !slices.Equal(warnings, wantWarnings) {
		w.t.Errorf("%s: warnings %q, want %q", what, warnings, wantWarnings)
	}
}

func mcp(name string) string {
	return `{"mcpServers": {"` + name + `": {"command": "` + name + `-server"}}}`
}

func asRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root, to give files to another user")
	}
}

// open lets everybody read a file.
func open(t *testing.T, file string) {
	t.Helper()
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
}

func give(t *testing.T, file string, uid int) {
	t.Helper()
	if err := os.Lchown(file, uid, uid); err != nil {
		t.Fatal(err)
	}
}

func TestEachClientsFileIsFoundInAHome(t *testing.T) {
	w := newWorld(t)
	formats := map[string]string{}
	for _, f := range []struct{ source, fixture string }{
		{".claude.json", "claude.json"}, {".codex/config.toml", "codex-config.toml"}, {".gemini/settings.json", "gemini-settings.json"},
		{".openclaw/openclaw.json", "openclaw.json"}, {".config/opencode/opencode.jsonc", "opencode.jsonc"},
		{".config/goose/config.yaml", "goose-config.yaml"}, {".copilot/mcp-config.json", "copilot-mcp-config.json"},
		{".cursor/mcp.json", "cursor-mcp.json"}, {".codeium/windsurf/mcp_config.json", "windsurf-mcp_config.json"},
		{".config/zed/settings.json", "zed-settings.json"}, {".config/Code/User/mcp.json", "vscode-mcp.json"},
		{".config/Claude/claude_desktop_config.json", "claude_desktop_config.json"},
	} {
		formats[w.write(f.source, string(fixture(t, f.fixture)))] = f.fixture
	}
	set, warnings := w.d.Configured(t.Context(), []Home{w.home}, nil)
	if len(warnings) > 0 {
		t.Errorf("warnings: %v", warnings)
	}
	for _, f := range fixtures() {
		var got []string
		for _, s := range set.Servers() {
			if formats[s.File] == f.file {
				s.Folder = strings.TrimPrefix(s.Folder, w.home.Dir)
				got = append(got, line(s))
			}
		}
		slices.Sort(got)
		want := slices.Sorted(slices.Values(f.want))
		if slices.Contains(slices.Sorted(mapValues(formats)), f.file) && !slices.Equal(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", f.file, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if len(set.Files()) != len(formats) {
		t.Errorf("files: %v", set.Files())
	}
}

func mapValues(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

func TestAServerSaysWhereItWasFoundAndWhoseItIs(t *testing.T) {
	w := newWorld(t)
	file := w.write("src/app/.mcp.json", mcp("app"))
	set, _ := w.d.Configured(t.Context(), []Home{w.home}, []Workdir{{w.path("src/app"), w.home.UID}})
	want := Server{
		Name: "app", Command: "app-server", Args: []string{}, File: file, Client: "claude-code",
		Folder: w.path("src/app"), Home: w.home.Dir, Owner: inventory.Known(w.home.UID),
	}
	if got := set.Servers(); len(got) != 1 || compare(got[0], want) != 0 {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestProjectsAreLookedForUpToTheRepository(t *testing.T) {
	w := newWorld(t)
	w.write("src/repo/.git/HEAD", "")
	w.write("src/repo/.mcp.json", mcp("root"))
	w.write("src/repo/.codex/config.toml", "[mcp_servers.codex]\ncommand = \"x\"\n")
	w.write("src/repo/a/b/.cursor/mcp.json", mcp("inner"))
	w.write("src/.mcp.json", mcp("above-the-repository"))
	w.write("src/loose/x/.vscode/mcp.json", `{"servers": {"loose": {"command": "x"}}}`)
	w.write(".mcp.json", mcp("right-in-the-home"))
	w.write("src/1/2/3/4/5/6/7/8/9/.mcp.json", mcp("deep"))
	w.write("src/1/.mcp.json", mcp("eight-above"))

	names, warnings := w.look("src/repo/a/b")
	w.want("in a repository", names, []string{"codex", "inner", "root"}, warnings, nil)
	names, _ = w.look("src/loose/x")
	w.want("outside of one", names, []string{"above-the-repository", "loose"}, nil, nil)
	names, _ = w.look("src/1/2/3/4/5/6/7/8/9")
	w.want("far down", names, []string{"deep", "eight-above"}, nil, nil)
	names, _ = w.look(".")
	w.want("in the home itself", names, []string{"right-in-the-home"}, nil, nil)
	names, _ = w.look("src/gone")
	w.want("where nothing is any more", names, []string{"above-the-repository"}, nil, nil)
	names, _ = w.look()
	w.want("without sessions", names, nil, nil, nil)
}

func TestProjectsOutsideOfTheHome(t *testing.T) {
	w := newWorld(t)
	w.write(w.outside("srv/app/.mcp.json"), mcp("app"))
	w.write(w.outside("srv/other/.mcp.json"), mcp("other"))
	names, warnings := w.look(w.outside("srv/app"), "relative", "/")
	w.want("outside", names, []string{"app"}, warnings, nil)

	if err := os.RemoveAll(w.outside("srv/app")); err != nil {
		t.Fatal(err)
	}
	w.link(w.outside("srv/other"), w.outside("srv/app"))
	names, _ = w.look(w.outside("srv/app"))
	w.want("a link in the folder's place", names, nil, nil, nil)
}

// said is a warning in one line.
func said(w Warning) string {
	return fmt.Sprintf("%s: %s", w.File, w.Text)
}

func TestABrokenFileWarnsOnceAndKeepsWhatItSaid(t *testing.T) {
	w := newWorld(t)
	w.write(".claude.json", mcp("one"))
	w.write(".cursor/mcp.json", mcp("two"))
	names, warnings := w.look()
	w.want("whole", names, []string{"one", "two"}, warnings, nil)

	w.write(".claude.json", "{\n\"mcpServers\": }\n")
	names, warnings = w.look()
	w.want("broken", names, []string{"one", "two"}, warnings, []string{".claude.json: line 2: not valid JSON at column 15"})
	names, warnings = w.look()
	w.want("still broken", names, []string{"one", "two"}, warnings, nil)

	w.write(".claude.json", "{\n\n\"mcpServers\": }\n")
	_, warnings = w.look()
	w.want("broken otherwise", nil, nil, warnings, []string{".claude.json: line 3: not valid JSON at column 15"})

	w.write(".claude.json", mcp("three"))
	names, warnings = w.look()
	w.want("mended", names, []string{"three", "two"}, warnings, nil)
	if err := os.Remove(w.path(".claude.json")); err != nil {
		t.Fatal(err)
	}
	names, warnings = w.look()
	w.want("gone", names, []string{"two"}, warnings, nil)
}

func TestAFileThatDidNotChangeIsNotReadAgain(t *testing.T) {
	w := newWorld(t)
	file := w.write(".claude.json", mcp("one"))
	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	w.look()
	w.write(".claude.json", mcp("two")) // as long as the other
	if err := os.Chtimes(file, before.ModTime(), before.ModTime()); err != nil {
		t.Fatal(err)
	}
	names, _ := w.look()
	w.want("with the same time", names, []string{"one"}, nil, nil)
	if err := os.Chtimes(file, before.ModTime(), before.ModTime().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	names, _ = w.look()
	w.want("with another time", names, []string{"two"}, nil, nil)
}

func TestLinksMayLeadAboutInsideAHome(t *testing.T) {
	w := newWorld(t)
	w.write("dotfiles/claude.json", mcp("relative"))
	w.write("dotfiles/codex/config.toml", "[mcp_servers.codex]\ncommand = \"x\"\n")
	w.write("dotfiles/cursor/mcp.json", mcp("absolute"))
	w.write("dotfiles/project.json", mcp("project"))
	w.link("dotfiles/claude.json", ".claude.json")
	w.link("./dotfiles/../dotfiles/codex", ".codex")
	w.link(w.path("dotfiles/cursor"), ".cursor")
	w.link("../../dotfiles/project.json", "src/app/.mcp.json")
	names, warnings := w.look("src/app")
	w.want("inside", names, []string{"absolute", "codex", "project", "relative"}, warnings, nil)
}

func TestLinksOutOfAHomeAreRefused(t *testing.T) {
	w := newWorld(t)
	secret := w.write(w.outside("secret.json"), mcp("secret"))
	w.write(w.outside("folder/mcp.json"), mcp("secret"))
	w.link(secret, ".claude.json")
	w.link("../../secret.json", ".gemini/settings.json")
	w.link("../folder", ".cursor")
	w.link("/proc/self/root"+secret, ".copilot/mcp-config.json")
	w.link("settings.json", ".config/zed/settings.json") // to itself
	w.link("../../../secret.json", "src/app/.mcp.json")
	names, warnings := w.look("src/app")
	w.want("outside", names, nil, warnings, []string{
		".claude.json: a link leads out of the folder",
		".gemini/settings.json: a link leads out of the folder",
		".cursor/mcp.json: a link leads out of the folder",
		".copilot/mcp-config.json: a link leads out of the folder",
		".config/zed/settings.json: too many links",
		"src/app/.mcp.json: a link leads out of the folder",
	})
	_, warnings = w.look("src/app")
	w.want("once", nil, nil, warnings, nil)
}

func TestAProjectElsewhereIsNotLedOutOfItsFolder(t *testing.T) {
	w := newWorld(t)
	w.write(w.outside("srv/secret.json"), mcp("secret"))
	w.link("../secret.json", w.outside("srv/app/.mcp.json"))
	names, warnings := w.look(w.outside("srv/app"))
	w.want("outside", names, nil, warnings, []string{w.outside("srv/app/.mcp.json") + ": a link leads out of the folder"})
}

func TestWhatIsNoFileIsNotOpened(t *testing.T) {
	w := newWorld(t)
	if err := syscall.Mkfifo(w.path(".claude.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.mkdir(w.path(".cursor/mcp.json"))
	w.mkdir(w.path("dir"))
	w.link("..", ".gemini/settings.json")
	names, warnings := w.look() // would hang on the FIFO
	w.want("no files", names, nil, warnings, []string{
		".claude.json: not a regular file", ".gemini/settings.json: not a regular file", ".cursor/mcp.json: not a regular file",
	})
	if err := os.Remove(w.path(".claude.json")); err != nil {
		t.Fatal(err)
	}
	w.write(".claude.json", mcp("one"))
	names, _ = w.look()
	w.want("a file in the FIFO's place", names, []string{"one"}, nil, nil)
}

func TestAFIFOThatTakesAFilesPlaceIsNotWaitedFor(t *testing.T) {
	w := newWorld(t)
	if err := syscall.Mkfifo(w.path("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := openHome(w.home, true)
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	if _, _, err := r.read("x"); !errors.Is(err, errIrregular) {
		t.Errorf("read of a FIFO: %v", err)
	}
}

func TestAHugeFileIsNotRead(t *testing.T) {
	w := newWorld(t)
	file := w.write(".claude.json", mcp("one"))
	if err := os.Truncate(file, maxFile+1); err != nil {
		t.Fatal(err)
	}
	names, warnings := w.look()
	w.want("huge", names, nil, warnings, []string{".claude.json: larger than 4096 KiB"})
	w.write(".claude.json", `{"history": "`+strings.Repeat("x", maxFile-100)+`", `+strings.TrimPrefix(mcp("one"), "{"))
	names, _ = w.look()
	w.want("nearly huge", names, []string{"one"}, nil, nil)
}

func TestAFileThatMayNotBeReadIsNoEmptyOne(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	w := newWorld(t)
	if err := os.Chmod(w.write(".claude.json", mcp("one")), 0); err != nil {
		t.Fatal(err)
	}
	names, warnings := w.look()
	w.want("unreadable", names, nil, warnings, []string{".claude.json: permission denied"})
}

func TestAsRootOnlyAUsersOwnFilesAreRead(t *testing.T) {
	asRoot(t)
	const user, stranger = 12345, 12346
	w := newWorld(t)
	w.home.UID = user
	give(t, w.home.Dir, user)
	give(t, w.write(".claude.json", mcp("own")), user)
	open(t, w.write(".gemini/settings.json", mcp("from-root"))) // as an administrator deploys it
	w.write(".config/zed/settings.json", `{"context_servers": {"private": {"command": "private-server"}}}`)
	foreign := w.write(".cursor/mcp.json", mcp("foreign"))
	give(t, foreign, stranger)
	shadow := w.write(w.outside("shadow"), mcp("shadow"))
	w.link(shadow, ".copilot/mcp-config.json")
	if err := os.Link(foreign, w.path("hard")); err != nil {
		t.Fatal(err)
	}
	w.link("../../hard", ".config/Claude/claude_desktop_config.json")
	names, warnings := w.look()
	w.want("as root", names, []string{"from-root", "own"}, warnings, []string{
		".cursor/mcp.json: belongs to another user",
		".copilot/mcp-config.json: a link leads out of the folder",
		".config/zed/settings.json: permission denied",
		".config/Claude/claude_desktop_config.json: belongs to another user",
	})
}

// A session's folder is what its process says, which another mount namespace can
// make any folder of ours.
func TestAsRootWhatAUserCannotOpenIsNotReadForThem(t *testing.T) {
	asRoot(t)
	const user = 12345
	w := newWorld(t)
	w.home.UID = user
	give(t, w.home.Dir, user)
	w.write(w.outside("private/.mcp.json"), mcp("roots"))
	open(t, w.outside("private/.mcp.json"))
	if err := os.Chmod(w.outside("private"), 0o700); err != nil {
		t.Fatal(err)
	}
	names, warnings := w.look(w.outside("private"))
	w.want("a folder of root's with mode 0700", names, nil, warnings, nil)
	if err := os.Chmod(w.outside("private"), 0o755); err != nil {
		t.Fatal(err)
	}
	names, warnings = w.look(w.outside("private"))
	w.want("the same folder, open to all", names, []string{"roots"}, warnings, nil)
}

func TestWithoutTheUsersRightsOnlyTheUsersOwnFilesAreRead(t *testing.T) {
	asRoot(t)
	const user = 12345
	w := newWorld(t)
	own, roots := w.write("own.json", "{}"), w.write("roots.json", "{}")
	give(t, own, user)
	open(t, roots)
	r, err := openHome(Home{w.home.Dir, os.Geteuid()}, true)
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	r.uid, r.alone = user, true
	if _, _, err := r.read("own.json"); err != nil {
		t.Errorf("the user's own: %v", err)
	}
	if _, _, err := r.read("roots.json"); !errors.Is(err, errForeign) {
		t.Errorf("root's: %v", err)
	}
}

func TestAsRootAHomeThatIsNotItsUsersIsLeftAlone(t *testing.T) {
	asRoot(t)
	w := newWorld(t)
	w.home.UID = 12345 // the directory is root's, like that of a system account
	w.write(".claude.json", mcp("roots"))
	names, warnings := w.look()
	w.want("a system account", names, nil, warnings, nil)
}

func TestAsRootASessionsFolderOfAnotherUserIsNotRead(t *testing.T) {
	asRoot(t)
	w := newWorld(t)
	const stranger = 12346
	give(t, w.write(w.outside("srv/.mcp.json"), mcp("planted")), stranger)
	names, warnings := w.look(w.outside("srv"))
	w.want("planted", names, nil, warnings, []string{w.outside("srv/.mcp.json") + ": belongs to another user"})
}

func TestAnInterruptedLookKeepsWhatWasKnown(t *testing.T) {
	w := newWorld(t)
	w.write(".claude.json", mcp("one"))
	w.look()
	w.write(".claude.json", mcp("three"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	set, warnings := w.d.Configured(ctx, []Home{w.home}, nil)
	if len(set.Servers()) != 1 || len(warnings) != 1 {
		t.Errorf("interrupted: %v, %v", set.Servers(), warnings)
	}
	names, _ := w.look()
	w.want("afterwards", names, []string{"three"}, nil, nil)
}

func TestAGuardedLookDoesNotTouchWhatMacOSAsksAbout(t *testing.T) {
	w := newWorld(t)
	w.d = patient(Options{Guarded: true})
	w.write(".claude.json", mcp("one"))
	w.write("Library/Application Support/Claude/claude_desktop_config.json", mcp("desktop"))
	w.write("Documents/app/.mcp.json", mcp("document"))
	w.write("src/app/.mcp.json", mcp("app"))
	w.write("Library/dotfiles/mcp.json", mcp("linked"))
	w.link("../Library/dotfiles/mcp.json", ".cursor/mcp.json")
	names, warnings := w.look("Documents/app", "src/app")
	w.want("guarded", names, []string{"app", "one"}, warnings, []string{".cursor/mcp.json: " + errForbidden.Error()})

	w.d = patient(Options{})
	names, _ = w.look("Documents/app", "src/app")
	w.want("in a terminal", names, []string{"app", "desktop", "document", "linked", "one"}, nil, nil)
}

func TestAHomeThatIsGoneIsNoFault(t *testing.T) {
	w := newWorld(t)
	w.home.Dir = w.outside("gone")
	names, warnings := w.look()
	w.want("gone", names, nil, warnings, nil)
	if _, err := os.Stat(w.home.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error("looking made the home")
	}
}

func BenchmarkLookAgain(b *testing.B) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".claude.json"), []byte(mcp("one")), 0o600); err != nil {
		b.Fatal(err)
	}
	d, homes := New(Options{}), []Home{{dir, os.Geteuid()}}
	var workdirs []Workdir
	for _, name := range []string{"a/b/c", "d/e/f", "g"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			b.Fatal(err)
		}
		workdirs = append(workdirs, Workdir{filepath.Join(dir, name), os.Geteuid()})
	}
	for b.Loop() {
		d.Configured(b.Context(), homes, workdirs)
	}
}

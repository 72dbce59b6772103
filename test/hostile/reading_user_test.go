//go:build linux

package hostile_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

// readingOpened watches a folder. opened returns the files in it that any process has
// opened since.
func readingOpened(t *testing.T, folder string) (opened func() []string) {
	t.Helper()
	watch, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(watch) })
	if _, err := unix.InotifyAddWatch(watch, folder, unix.IN_OPEN); err != nil {
		t.Fatal(err)
	}
	return func() (names []string) {
		buffer := make([]byte, 64<<10)
		n, err := unix.Read(watch, buffer)
		for at := 0; err == nil && at < n; {
			event := (*unix.InotifyEvent)(unsafe.Pointer(&buffer[at]))
			name := buffer[at+unix.SizeofInotifyEvent : at+unix.SizeofInotifyEvent+int(event.Len)]
			names = append(names, strings.TrimRight(string(name), "\x00"))
			at += unix.SizeofInotifyEvent + int(event.Len)
		}
		return names
	}
}

// readingDocker plays an ordinary user's `docker run` with --cidfile.
func readingDocker(name, file string) actor.Part {
	return cast.Owned(actor.Part{
		Name: name, Exe: "docker", Argv: []string{"docker", "run", "-i", "--rm", "--cidfile", file, "mcp/x"},
		Stdin: actor.Pipe, Stdout: actor.Pipe, Does: actor.Server, IgnoreEOF: true,
	})
}

func TestACidfileThatIsADeviceIsNotOpened(t *testing.T) {
	readingWithin(t, func(t *testing.T, live *farm.Live) {
		devices := live.Folder.Path("dev")
		if err := os.Mkdir(devices, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, device := range map[string]uint64{"device": unix.Mkdev(1, 3)} {
			if err := unix.Mknod(filepath.Join(devices, name), unix.S_IFCHR|0o666, int(device)); err != nil {
				t.Fatal(err)
			}
		}
		if err := unix.Mkfifo(filepath.Join(devices, "fifo"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(devices, "roots"), []byte(strings.Repeat("a", 64)), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(devices, live.Folder.Path("link")); err != nil {
			t.Fatal(err)
		}
		live.Start(t, []actor.Part{cast.Claude("alice",
			readingDocker("by-path", "$W/dev/device"), readingDocker("by-link", "$W/link/device"),
			readingDocker("fifo", "$W/dev/fifo"), readingDocker("roots", "$W/dev/roots"))})
		opened := readingOpened(t, devices)
		if saved := live.Tell(t, "snapshot"); strings.Contains(saved, strings.Repeat("a", 64)) {
			t.Error("the id in a file of root's is in the snapshot")
		}
		if names := opened(); len(names) > 0 {
			t.Errorf("opened for its users: %v", names)
		}
	})
}

func TestAFolderThatTheUserCannotEnterIsNotReadForThem(t *testing.T) {
	readingWithin(t, func(t *testing.T, live *farm.Live) {
		session := readingServer("alice")
		session.UID, session.Cwd = cast.Ordinary, "private"
		live.Start(t, []actor.Part{session})
		// The path that /proc shows as its folder now leads to a folder of root, as it could
		// in another mount namespace.
		folder := live.Folder.Path("private")
		file := filepath.Join(folder, ".mcp.json")
		if err := os.WriteFile(file, []byte(`{"mcpServers": {"stolen": {"command": "stolen-command"}}}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if found := live.Tell(t, "discover"); strings.Contains(found, "stolen") {
			t.Errorf("root's file is read for a user:\n%s", found)
		}
		if err := os.Chmod(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, 0o644); err != nil {
			t.Fatal(err)
		}
		if found := live.Tell(t, "discover"); !strings.Contains(found, "stolen") {
			t.Errorf("a file that the user may read is not read:\n%s", found)
		}
	})
}

func TestAnotherUserLearnsNothingOfAUsersDaemon(t *testing.T) {
	readingWithin(t, func(t *testing.T, live *farm.Live) {
		mine := readingServer("mine", "/home/alice/private/notes")
		mine.UID = cast.Ordinary
		live.Start(t, []actor.Part{mine})
		d := daemon.Start(t, live, daemon.Options{Policy: readingPolicy, UID: cast.Ordinary})
		for _, path := range []string{"/", "/v1/account", "/v1/hello", "/metrics", "/healthz", "/readyz"} {
			code, body := daemon.GetPort(t, serve.DefaultListen, path)
			if code == 0 || strings.Contains(body, "mine") || strings.Contains(body, "/home/alice") || strings.Contains(body, "dist/index.js") {
				t.Errorf("%s: %d\n%.400s", path, code, body)
			}
		}
		if code, _ := daemon.GetPort(t, serve.DefaultListen, "/v1/account"); code != http.StatusForbidden {
			t.Errorf("the report on the port: %d", code)
		}
		if _, report := d.Get(t, "/v1/account"); !strings.Contains(report, "/home/alice/private/notes") {
			t.Error("its own user cannot read the report on the socket")
		}
	})
}

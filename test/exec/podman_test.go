//go:build linux

package exec_test

import (
	"archive/tar"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/test/farm"
)

// TestAPodmanContainerIsEndedAndRemovedWithItsClient has an engine without a
// service: what supervises the container descends from reaperd exec itself, and
// removes it only if it lives long enough. The image is this project's own static
// program, which plays a server that ignores the end of its input and SIGTERM.
func TestAPodmanContainerIsEndedAndRemovedWithItsClient(t *testing.T) {
	for _, program := range []string{"podman", "runc"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("left out: %s is not installed", program)
		}
	}
	within(t, func(t *testing.T, w *world) {
		p := w.podman(t)
		for i := range max(2, rounds()/10) {
			s := w.start(t, roundOf(i), "none", w.supervised("4s", "podman", "run", "-i", "--rm", "--network", "none", "-e", stubbornPart, podmanImage)...)
			s.await(t, "up")
			if labels := p.does(t, "ps", "--format", "{{.Labels}}"); !strings.Contains(labels, "reaperd.owner:"+strconv.Itoa(s.supervisor)+":") {
				t.Errorf("labels %q, supervisor %d", labels, s.supervisor)
			}
			fmt.Fprintln(s.stdin, "one")
			s.await(t, "0 of 0") // it answers
			s.kill()
			farm.Eventually(t, "neither a process nor a container is left", func() bool {
				return len(players(t, roundOf(i))) == 0 && p.does(t, "ps", "-aq") == ""
			})
		}
		farm.Figure(t, "%d clients of podman's containers killed -9, 0 processes and 0 containers left", max(2, rounds()/10))
	})
}

const (
	podmanImage  = "localhost/mcp-server-test:latest"
	stubbornPart = `REAPERD_DEMO_PART={"role":"server","stubborn":true}`
)

// podman is an engine whose files are all in the world's folder.
type podman struct{ env []string }

// podman prepares the engine and imports the image.
func (w *world) podman(t *testing.T) podman {
	t.Helper()
	folder := filepath.Join(w.folder, "run", "podman")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"storage.conf":    fmt.Sprintf("[storage]\ndriver = \"vfs\"\ngraphroot = %q\nrunroot = %q\n", folder+"/graph", folder+"/state"),
		"containers.conf": "[engine]\nruntime = \"runc\"\ncgroup_manager = \"cgroupfs\"\nevents_logger = \"file\"\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w.env = append(w.env, "CONTAINERS_STORAGE_CONF="+folder+"/storage.conf", "CONTAINERS_CONF="+folder+"/containers.conf", "TMPDIR="+w.folder+"/run")
	p := podman{env: append(os.Environ(), w.env...)}
	image := filepath.Join(folder, "image.tar")
	writeImage(t, image)
	p.does(t, "import", "-q", "--change", `ENTRYPOINT ["/server"]`, image, podmanImage)
	return p
}

func writeImage(t *testing.T, path string) {
	t.Helper()
	program, err := os.ReadFile(farm.Program("reaperd"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	archive := tar.NewWriter(file)
	if err := archive.WriteHeader(&tar.Header{Name: "server", Mode: 0o755, Size: int64(len(program))}); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Write(program); err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
}

// does runs podman and returns what it says.
func (p podman) does(t *testing.T, args ...string) string {
	t.Helper()
	command := exec.Command("podman", args...)
	command.Env = p.env
	text, err := command.Output()
	if err != nil {
		t.Fatalf("podman %s: %v\n%s", strings.Join(args, " "), err, err.(*exec.ExitError).Stderr)
	}
	return strings.TrimSpace(string(text))
}

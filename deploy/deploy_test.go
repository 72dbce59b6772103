package deploy_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// tool is the path of a program that a check needs; without it the test is
// skipped, and says what brings it.
func tool(t *testing.T, name, from string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("needs %s (%s)", name, from)
	}
	return path
}

// slow skips what needs root, an engine or minutes, unless it is asked for.
func slow(t *testing.T) {
	t.Helper()
	if os.Getenv("REAPERD_TEST_DEPLOY") != "1" {
		t.Skip("runs with REAPERD_TEST_DEPLOY=1 (make test-deploy)")
	}
}

// run runs a program in the folder of the test and returns what it says.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	return runIn(t, "", name, args...)
}

func runIn(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = folder
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, said.String())
	}
	return said.String()
}

// wouldRun is what make would run for a target, with nothing said to a make
// that runs the tests.
func wouldRun(t *testing.T, args ...string) string {
	t.Helper()
	t.Setenv("MAKEFLAGS", "")
	return runIn(t, "..", tool(t, "make", "any system"), append([]string{"--no-print-directory", "-n"}, args...)...)
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// parse decodes a YAML file.
func parse[T any](t *testing.T, name string) T {
	t.Helper()
	var value T
	if err := yaml.Unmarshal(read(t, name), &value); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return value
}

// TestTheManifestsAreCheckedWithEveryTestRun holds that make test enters the
// module that `go test ./...` does not see.
func TestTheManifestsAreCheckedWithEveryTestRun(t *testing.T) {
	if said := wouldRun(t, "test", "GO=go"); !strings.Contains(said, "cd deploy/kubernetes/check && go vet ./... && go test -count=1 ./...") {
		t.Errorf("make test would run\n%s", said)
	}
}

// TestEveryFolderHasAReadme holds that whoever opens a folder is told what it is.
func TestEveryFolderHasAReadme(t *testing.T) {
	index := string(read(t, "README.md"))
	folders, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		if !folder.IsDir() || folder.Name() == "testdata" {
			continue
		}
		if text := read(t, folder.Name()+"/README.md"); len(text) == 0 {
			t.Errorf("%s/README.md is empty", folder.Name())
		}
		if !strings.Contains(index, "]("+folder.Name()+"/") {
			t.Errorf("README.md does not lead to %s", folder.Name())
		}
	}
}

// TestLinksLeadSomewhere follows the relative links of all pages.
func TestLinksLeadSomewhere(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	below, err := filepath.Glob("*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, below...) {
		for _, part := range strings.Split(string(read(t, page)), "](")[1:] {
			link, _, _ := strings.Cut(part, ")")
			link, _, _ = strings.Cut(link, "#")
			if link == "" || strings.Contains(link, "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), link)); err != nil {
				t.Errorf("%s links to %s, which is not there", page, link)
			}
		}
	}
}

// TestTheClusterTakesAwayOnlyTheGroupsThatItMade runs hack/kubernetes.sh over
// made-up cgroups, with programs that do nothing and a node that leaves some.
func TestTheClusterTakesAwayOnlyTheGroupsThatItMade(t *testing.T) {
	slow(t)
	if _, err := os.Stat("/usr/lib/cni"); err != nil || os.Getuid() != 0 {
		t.Skip("needs root on Linux, for a mount namespace, and Debian's containernetworking-plugins")
	}
	namespaces := tool(t, "unshare", "Debian: util-linux")
	folder := t.TempDir()
	stub := func(name, does string) {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+does+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"etcd", "containerd", "dockerd", "docker", "ctr", "tini", "openssl", "curl", "ip"} {
		stub("bin/"+name, "")
	}
	stub("bin/unshare", "cd /sys/fs/cgroup/cpu && mkdir -p k8s.io/made/inner kubepods/made/inner")
	version := regexp.MustCompile(`(?m)^version=(\S+)`).FindSubmatch(read(t, "../hack/kubernetes.sh"))
	stub("reaperd-kubernetes/"+string(version[1])+"/kubectl", "")

	said := run(t, namespaces, "--mount", "sh", "-c", `set -e
		mount -t tmpfs tmpfs /sys/fs/cgroup
		cd /sys/fs/cgroup && mkdir -p cpu/kubepods/theirs cpu/k8s.io/theirs other && cd - >/dev/null
		PATH="$1/bin:$PATH" XDG_CACHE_HOME="$1" ../hack/kubernetes.sh
		cd /sys/fs/cgroup && find . -mindepth 2 -type d | sort`, "-", folder)
	if want := "./cpu/k8s.io\n./cpu/k8s.io/theirs\n./cpu/kubepods\n./cpu/kubepods/theirs\n"; said != want {
		t.Errorf("left are\n%s, want\n%s", said, want)
	}
}

//go:build linux

package deploy_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/test/farm"
)

// inSystemd is the unit that runs inside.sh when the container is up.
const inSystemd = `[Unit]
After=multi-user.target
[Service]
Type=simple
ExecStart=/inside.sh
StandardOutput=file:/said
StandardError=file:/said
[Install]
WantedBy=multi-user.target
`

// TestUnderARealSystemd boots a Debian with systemd as PID 1 in namespaces of its own
// and lets inside.sh install the service and do to it what a host does, once with
// `reaperd install` and once from the deb. ROOTFS names a folder with such a system to
// copy; else debootstrap makes one.
func TestUnderARealSystemd(t *testing.T) {
	slow(t)
	nspawn := tool(t, "systemd-nspawn", "Debian: systemd-container")
	if os.Getuid() != 0 {
		t.Skip("needs root on Linux, for namespaces")
	}
	root := filepath.Join(t.TempDir(), "root")
	debian(t, root)
	tree := sources(t)
	for _, deb := range []struct{ name, version string }{{"old.deb", "0.1.0"}, {"new.deb", "0.2.0"}} {
		built := filepath.Join(dist(t, tree, deb.version), "reaperd_"+deb.version+"_"+debArch(t)+".deb")
		run(t, "cp", built, filepath.Join(root, deb.name))
	}
	for name, text := range map[string]string{
		"etc/systemd/system/inside.service": inSystemd,
		"usr/local/bin/reaperd":             string(must(os.ReadFile(farm.Program("reaperd")))(t)),
		"inside.sh":                         string(read(t, "systemd/inside.sh")),
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	wanted := filepath.Join(root, "etc/systemd/system/multi-user.target.wants")
	if err := errors.Join(os.MkdirAll(wanted, 0o755), os.Symlink("../inside.service", filepath.Join(wanted, "inside.service"))); err != nil {
		t.Fatal(err)
	}
	// Nothing is registered anywhere, and it is part of the unit that we are in: it
	// ends with this test.
	booted := exec.CommandContext(t.Context(), nspawn, "--quiet", "--directory", root, "--boot", "--register=no", "--keep-unit",
		"--private-network", "--console=pipe", "--kill-signal=SIGRTMIN+3", "--link-journal=no")
	talk, err := booted.CombinedOutput()
	said := string(must(os.ReadFile(filepath.Join(root, "said")))(t))
	t.Logf("inside:\n%s", said)
	if err != nil || !strings.HasSuffix(said, "\nall held\n") {
		t.Fatalf("systemd-nspawn: %v\n%s", err, talk)
	}
}

// debian puts a Debian with systemd into a folder.
func debian(t *testing.T, root string) {
	t.Helper()
	if given := os.Getenv("ROOTFS"); given != "" {
		run(t, "cp", "-a", given, root)
		if _, err := os.Stat(filepath.Join(root, "lib/systemd/systemd")); errors.Is(err, fs.ErrNotExist) {
			t.Skipf("needs systemd in ROOTFS=%s (debootstrap --include=systemd,systemd-sysv,dbus)", given)
		}
		return
	}
	args := []string{"--variant=minbase", "--include=systemd,systemd-sysv,dbus", "bookworm", root}
	if mirror := os.Getenv("MIRROR"); mirror != "" {
		args = append(args, mirror)
	}
	run(t, tool(t, "debootstrap", "Debian: debootstrap"), args...)
}

// must returns a function that gives a value, or fails the test for want of it.
func must[V any](value V, err error) func(t *testing.T) V {
	return func(t *testing.T) V {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

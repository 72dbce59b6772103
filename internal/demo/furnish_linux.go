package demo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/policyfile"
)

// stage is the folder where the world's root is built. Its tmpfs hides the host's folder,
// and with that the sockets of engines.
const stage = "/run"

// ours are folders that the world has for itself; theirs are folders of the host that
// programs need. The world has no other folders of the host, such as homes.
var (
	ours   = []string{"proc", "root", "run", "tmp"}
	theirs = []string{"bin", "dev", "etc", "gnu", "lib", "lib32", "lib64", "libx32", "nix", "opt", "sbin", "sys", "usr"}
)

// furnish gives the world its own root, process table and single user. It needs a root
// that it owns: reaperd refuses a policy below a folder of an unknown user.
func furnish() error {
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"keep its mounts to itself", func() error { return unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "") }},
		{"mount its files", func() error {
			return unix.Mount("tmpfs", stage, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755,size=64m")
		}},
		{"show it the host's programs", showPrograms},
		{"mount its process table", func() error {
			return unix.Mount("proc", filepath.Join(stage, "proc"), "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
		}},
		{"leave the host's root", leaveRoot},
		{"bring its loopback up", raiseLoopback},
		{"give it a name", func() error { return unix.Sethostname([]byte("demo")) }},
		{"write its files", settle},
		{"hide the host's users", hideUsers},
		{"hide the host's policy", hidePolicy},
	} {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return nil
}

// showPrograms binds the host's folders into the world's root, and copies symbolic links.
func showPrograms() error {
	for _, name := range ours {
		if err := os.Mkdir(filepath.Join(stage, name), 0o755); err != nil {
			return err
		}
	}
	for _, name := range theirs {
		if err := show("/"+name, filepath.Join(stage, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func show(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	return os.NewSyscallError("bind "+from, unix.Mount(from, to, "", unix.MS_BIND|unix.MS_REC, ""))
}

// leaveRoot makes the working directory the root of this mount namespace and unmounts the
// old root. pivot_root(".", ".") mounts the old root over the new one, so it needs no
// folder of its own (pivot_root(2), notes).
func leaveRoot() error {
	if err := os.Chdir(stage); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return err
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return err
	}
	return os.Chdir("/")
}

// raiseLoopback makes 127.0.0.1 of the world's own network namespace answer: a new one
// has its interface down (network_namespaces(7)), and what serves there, such as
// reaperd page, could not be reached.
func raiseLoopback() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	defer unix.Close(socket)
	loopback, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	loopback.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return os.NewSyscallError("SIOCSIFFLAGS", unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, loopback))
}

// hideUsers makes root the only user, with the world's home.
func hideUsers() error {
	err := unix.Mount(place.users(), "/etc/passwd", "", unix.MS_BIND, "")
	if errors.Is(err, unix.ENOENT) { // a system without that file
		return nil
	}
	return err
}

// hidePolicy covers the folder of the host's policy with an empty one: before the world has
// a policy of its own, the shipped one holds.
func hidePolicy() error {
	err := unix.Mount("tmpfs", filepath.Dir(policyfile.System), "tmpfs", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "mode=755,size=4k")
	if errors.Is(err, unix.ENOENT) { // a host that has none
		return nil
	}
	return err
}

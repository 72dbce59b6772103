package scan

import (
	"errors"
	"os/exec"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

// TestAProcessThatEndsBetweenOpeningAndReadingIsAnError: the kernel answers ESRCH to
// a read of a file of /proc that was opened while its process lived.
func TestAProcessThatEndsBetweenOpeningAndReadingIsAnError(t *testing.T) {
	child := exec.Command("sleep", "1000")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	opened := map[string]int{}
	for _, name := range []string{"cmdline", "environ", "stat"} {
		fd, err := unix.Open("/proc/"+strconv.Itoa(child.Process.Pid)+"/"+name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
		opened[name] = fd
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // killed
	r := newReader(-1)
	if line, err := r.commandLine(opened["cmdline"], inventory.ID{PID: child.Process.Pid}, 1024); err == nil && len(line.argv) > 0 {
		t.Errorf("arguments of a process that has ended: %q", line.argv)
	}
	if found, err := environment(opened["environ"]); err == nil && len(found) > 0 {
		t.Errorf("environment of a process that has ended: %q", found)
	}
	if n, err := readSome(opened["stat"], make([]byte, 64)); !errors.Is(err, unix.ESRCH) || n != 0 {
		t.Errorf("stat of a process that has ended: %d bytes, %v; want 0 and ESRCH", n, err)
	}
}

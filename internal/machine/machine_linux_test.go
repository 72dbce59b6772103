package machine

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

func TestTheFactsAreThoseOfThisHost(t *testing.T) {
	got := Read(t.Context())
	var name unix.Utsname
	var info unix.Sysinfo_t
	if err := unix.Uname(&name); err != nil {
		t.Fatal(err)
	}
	if err := unix.Sysinfo(&info); err != nil {
		t.Fatal(err)
	}
	if want := unix.ByteSliceToString(name.Release[:]); got.Kernel != want {
		t.Errorf("kernel %q, want %q", got.Kernel, want)
	}
	if got.MemoryBytes == 0 || got.MemoryBytes > uint64(info.Totalram)*uint64(info.Unit) {
		t.Errorf("memory %d, and the kernel says %d", got.MemoryBytes, uint64(info.Totalram)*uint64(info.Unit))
	}
	booted := time.Now().Add(-time.Duration(info.Uptime) * time.Second)
	if off := got.BootedAt.Sub(booted).Abs(); off > time.Hour { // a container may have an uptime of its own
		t.Errorf("booted at %s, and the uptime says %s", got.BootedAt, booted)
	}
}

func TestWhatALookToldItselfStays(t *testing.T) {
	facts := Facts{Kernel: "6.1.0", BootedAt: time.Unix(1, 0), Virtualization: "kvm", MemoryBytes: 7}
	told, untold := inventory.Host{MemoryBytes: 3}, inventory.Host{}
	facts.Add(&told)
	facts.Add(&untold)
	if told.MemoryBytes != 3 || untold.MemoryBytes != 7 || told.Kernel != "6.1.0" || told.Virtualization != "kvm" || told.BootedAt.IsZero() {
		t.Errorf("got %+v and %+v", told, untold)
	}
}

package host

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/inventory"
)

func TestTheFactsAreThoseOfThisHost(t *testing.T) {
	var got inventory.Host
	readFacts(t.Context()).add(&got)
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
	booted := time.Now().Add(-time.Duration(info.Uptime) * time.Second)
	if off := got.BootedAt.Sub(booted).Abs(); off > time.Hour { // a container may have an uptime of its own
		t.Errorf("booted at %s, and the uptime says %s", got.BootedAt, booted)
	}
}

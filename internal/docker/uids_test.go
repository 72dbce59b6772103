package docker

import (
	"io/fs"
	"slices"
	"testing"
)

func TestWhoReachesAnEngine(t *testing.T) {
	const passwd = "root:x:0:0::/root:/bin/sh\ndev:x:1000:1000::/home/dev:/bin/sh\nbob:x:1001:1001::/home/bob:/bin/sh\n" +
		"ops:x:1002:998::/home/ops:/bin/sh\nhalf:x:many\n"
	const group = "root:x:0:\ndocker:x:998:dev,ghost\nstaff:x:50:bob\nhalf:x\n"
	for _, c := range []struct {
		name     string
		mode     fs.FileMode
		uid, gid int
		want     []int
	}{
		{"root's socket, the group docker", 0o660, 0, 998, []int{1000, 1002}},
		{"root's socket, no group", 0o600, 0, 998, nil},
		{"a rootless engine's", 0o660, 1001, 1001, []int{1001}},
		{"a group that nobody lists", 0o660, 0, 77, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := reaching(c.mode, c.uid, c.gid, []byte(passwd), []byte(group)); !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func TestWhoseClockAnEngineHas(t *testing.T) {
	local := access{unix: true, system: "linux", peer: true, running: 2, proven: 2}
	for _, c := range []struct {
		name   string
		change func(*access)
		want   bool
	}{
		{"its containers run here", func(*access) {}, true},
		{"none runs, and it listens here", func(a *access) { a.running, a.proven = 0, 0 }, true},
		{"its containers run elsewhere", func(a *access) { a.proven = 0 }, false},
		{"macOS: in a virtual machine", func(a *access) { a.system, a.proven = "darwin", 0 }, false},
		{"over TCP", func(a *access) { a.unix = false }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := local
			if c.change(&a); a.sameClock() != c.want {
				t.Errorf("%v, want %v", !c.want, c.want)
			}
		})
	}
}

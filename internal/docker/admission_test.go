package docker

import (
	"io/fs"
	"testing"
)

func TestAUserIsLetInByTheGroupOfTheSocket(t *testing.T) {
	for _, row := range []struct {
		world string
		mode  fs.FileMode
		group string
		want  string
	}{
		{"docker's own group may ask", 0o660, "docker", "sudo usermod -aG docker ann, then log in again"},
		{"another's group may ask", 0o770, "podman", "sudo usermod -aG podman ann, then log in again"},
		{"the group is root's", 0o660, "root", "run as root"},
		{"the group may not ask", 0o600, "docker", "run as root"},
		{"the group has no name", 0o660, "", "run as root"},
		{"the socket cannot be looked at", 0, "", "run as root"},
	} {
		if got := joining(row.mode, row.group, "ann"); got != row.want {
			t.Errorf("%s: got %q, want %q", row.world, got, row.want)
		}
	}
}

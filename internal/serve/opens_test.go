package serve

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOverSSHAPageIsForwarded: the browser is on the machine at the other end.
func TestOverSSHAPageIsForwarded(t *testing.T) {
	at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 40789}
	want := []string{"opens once; Ctrl-C ends it"}
	if got := opens(at, ""); !slices.Equal(got, want) {
		t.Errorf("here: %q, want %q", got, want)
	}
	want = append(want, "over ssh, run this on your own machine first, and then open the address there:",
		"    ssh -N -L 40789:127.0.0.1:40789 -p 2222 ann@10.0.0.2", "or with the name that you came by, in place of that address")
	if got := opens(at, "-p 2222 ann@10.0.0.2"); !slices.Equal(got, want) {
		t.Errorf("over ssh: %q, want %q", got, want)
	}
}

// TestHowSomebodyCameIsToldByTheLogin, also where sudo or su has dropped what tells it.
func TestHowSomebodyCameIsToldByTheLogin(t *testing.T) {
	const ann, from = "LOGNAME=ann", "SSH_CONNECTION=10.0.0.9 51123 "
	for _, row := range []struct {
		world        string
		own          string
		login, above []string // the environment of the parent, and of its parent
		want         string
	}{
		{"not over ssh", "", nil, nil, ""},
		{"by its own environment", "10.0.0.9 51123 10.0.0.2 22", nil, nil, "10.0.0.2"},
		{"on another port", "10.0.0.9 51123 10.0.0.2 2222", nil, nil, "-p 2222 10.0.0.2"},
		{"an address of a link", "fe80::9 51123 fe80::2%et 22", nil, nil, "fe80::2%et"},
		{"no address", "10.0.0.9 51123 $(x) 22", nil, nil, ""},
		{"no port", "10.0.0.9 51123 10.0.0.2 x", nil, nil, ""},
		{"cut short", "10.0.0.9 51123", nil, nil, ""},
		{"sudo has it", "", []string{ann, from + "10.0.0.2 22"}, nil, "ann@10.0.0.2"},
		{"the shell above su has it", "", []string{ann}, []string{"USER=bob", from + "10.0.0.2 2222"}, "-p 2222 bob@10.0.0.2"},
		{"a name that a shell would read", "", []string{"USER=a;b", from + "10.0.0.2 22"}, nil, "'a;b@10.0.0.2'"},
	} {
		t.Run(row.world, func(t *testing.T) {
			for _, name := range []string{"LOGNAME", "USER"} {
				t.Setenv(name, "")
			}
			t.Setenv("SSH_CONNECTION", row.own)
			proc := t.TempDir()
			processes := map[string]struct {
				parent string
				given  []string
			}{"300": {"200", nil}, "200": {"100", row.login}, "100": {"1", row.above}}
			for pid, p := range processes {
				if err := os.Mkdir(filepath.Join(proc, pid), 0o755); err != nil {
					t.Fatal(err)
				}
				for name, text := range map[string]string{"status": "Name:\tx\nPPid:\t" + p.parent + "\nUid:\t0\n", "environ": strings.Join(p.given, "\x00") + "\x00"} {
					if err := os.WriteFile(filepath.Join(proc, pid, name), []byte(text), 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
			if got := cameOver(proc, 300); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

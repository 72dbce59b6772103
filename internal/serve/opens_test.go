package serve

import (
	"net"
	"slices"
	"testing"
)

// TestOverSSHAPageIsForwarded: the browser is on the machine at the other end.
func TestOverSSHAPageIsForwarded(t *testing.T) {
	at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 40789}
	opens := []string{"opens once; Ctrl-C ends it"}
	for connection, want := range map[string][]string{
		"":                            opens,
		"10.0.0.9 51123 10.0.0.2 22":  append(slices.Clone(opens), "over ssh, on your own machine first: ssh -N -L 40789:127.0.0.1:40789 10.0.0.2"),
		"fe80::9 51123 fe80::2%et 22": append(slices.Clone(opens), "over ssh, on your own machine first: ssh -N -L 40789:127.0.0.1:40789 fe80::2%et"),
		"10.0.0.9 51123 $(x) 22":      opens,
		"10.0.0.9 51123":              opens,
	} {
		t.Setenv("SSH_CONNECTION", connection)
		if got := Opens(at); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", connection, got, want)
		}
	}
}

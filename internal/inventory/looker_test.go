package inventory

import "testing"

func TestWhoLooked(t *testing.T) {
	for _, row := range []struct {
		world string
		host  Host
		want  string
	}{
		{"a user with a process", Host{UID: Known(1000)}, "dev"},
		{"a user without one", Host{UID: Known(1001)}, ""},
		{"nobody says who", Host{}, ""},
	} {
		s := Snapshot{Host: row.host, Processes: []Process{{PID: 1, UID: Known(0), User: "root"}, {PID: 2}, {PID: 3, UID: Known(1000), User: "dev"}}}
		if got := s.Looker(); got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}

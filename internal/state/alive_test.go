package state

import (
	"os"
	"testing"

	"github.com/reaperd/reaperd/internal/procstat"
)

func TestWhereADaemonStands(t *testing.T) {
	const daemon = 4121
	self := procstat.Stat{Comm: []byte("reaperd"), State: 'R'}
	for _, row := range []struct {
		world string
		table map[int]procstat.Stat
		pid   int
		want  bool
	}{
		{"it sleeps", map[int]procstat.Stat{os.Getpid(): self, daemon: {Comm: []byte("reaperd"), State: 'S'}}, daemon, true},
		{"a signal has stopped it", map[int]procstat.Stat{os.Getpid(): self, daemon: {Comm: []byte("reaperd"), State: 'T'}}, daemon, true},
		{"its number is another program's here", map[int]procstat.Stat{os.Getpid(): self, daemon: {Comm: []byte("postgres"), State: 'T'}}, daemon, false},
		{"nothing here has its number", map[int]procstat.Stat{os.Getpid(): self}, daemon, false},
		{"its number is not known", map[int]procstat.Stat{os.Getpid(): self}, 0, false},
		{"the system has no /proc", nil, daemon, true},
	} {
		got := Daemon{PID: row.pid}.isHere(func(pid int) (procstat.Stat, bool) {
			stat, known := row.table[pid]
			return stat, known
		})
		if got != row.want {
			t.Errorf("%s: %v, want %v", row.world, got, row.want)
		}
	}
}

package state

import (
	"os"
	"testing"

	"github.com/reaperd/reaperd/internal/procstat"
)

func TestWhereADaemonStands(t *testing.T) {
	const daemon = 4121
	self := procstat.Stat{Name: "reaperd", State: 'R'}
	for _, row := range []struct {
		world string
		table map[int]procstat.Stat
		pid   int
		want  Standing
	}{
		{"it sleeps", map[int]procstat.Stat{os.Getpid(): self, daemon: {Name: "reaperd", State: 'S'}}, daemon, Here},
		{"a signal has stopped it", map[int]procstat.Stat{os.Getpid(): self, daemon: {Name: "reaperd", State: 'T'}}, daemon, Stopped},
		{"its number is another program's here", map[int]procstat.Stat{os.Getpid(): self, daemon: {Name: "postgres", State: 'T'}}, daemon, Elsewhere},
		{"nothing here has its number", map[int]procstat.Stat{os.Getpid(): self}, daemon, Elsewhere},
		{"its number is not known", map[int]procstat.Stat{os.Getpid(): self}, 0, Elsewhere},
		{"the system has no /proc", nil, daemon, Here},
	} {
		got := Daemon{PID: row.pid}.standing(func(pid int) (procstat.Stat, bool) {
			stat, known := row.table[pid]
			return stat, known
		})
		if got != row.want {
			t.Errorf("%s: %d, want %d", row.world, got, row.want)
		}
	}
}

func TestTheUserInAStatusIsTheEffectiveOne(t *testing.T) {
	for text, want := range map[string]int{
		"Name:\treaperd\nUid:\t1000\t1001\t1000\t1000\nGid:\t5\t5\t5\t5\n": 1001,
		"Name:\treaperd\n":             -1,
		"Uid:\t1000\n":                 -1,
		"Uid:\tsomebody\telse\t0\t0\n": -1,
		"":                             -1,
	} {
		if got := uidIn(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

package beside

import (
	"testing"
	"time"
)

var (
	roots = Daemon{User: "root", PID: 6882}
	devs  = Daemon{User: "dev", UID: 1000, PID: 5770}
	anns  = Daemon{User: "ann", UID: 1001, PID: 5801}
)

func TestWhoSitsBesideADaemonLearnsWhoseItIsAndWhatReachesIt(t *testing.T) {
	for _, row := range []struct{ world, got, want string }{
		{"root's", roots.After(), "root's daemon (process 6882) looks after every user's servers"},
		{"a user's", devs.After(), "dev's daemon (process 5770) looks after dev's servers"},
		{"its number is not known", Daemon{User: "dev", UID: 1000}.After(), "dev's daemon looks after dev's servers"},
		{"a user reaches root's", roots.Command("reaperd pause 1h"), "sudo reaperd pause 1h"},
		{"root reaches a user's", devs.Command("reaperd pause 1h"), "su dev -c 'reaperd pause 1h'"},
		{"a name that means something to a shell", Daemon{User: "a b", UID: 7}.Command("reaperd pins"), "su 'a b' -c 'reaperd pins'"},
		{"of several", Daemons{devs, anns}.String(), "dev's daemon (process 5770) and ann's daemon (process 5801)"},
		{"of many", Daemons{devs, anns, devs, anns, devs}.String(), "dev's daemon (process 5770), ann's daemon (process 5801), dev's daemon (process 5770) and 2 more"},
	} {
		if row.got != row.want {
			t.Errorf("%s: %q, want %q", row.world, row.got, row.want)
		}
	}
}

func TestAPauseReachesNoOtherUsersDaemon(t *testing.T) {
	for _, row := range []struct {
		world string
		ds    Daemons
		left  time.Duration
		want  string
	}{
		{"nobody else's runs", nil, time.Hour, ": nothing is reaped; reaperd resume ends it"},
		{"root's runs", Daemons{roots}, time.Hour - time.Second, ", for your own sweeps only: root's daemon (process 6882) does not go by it (sudo reaperd pause 1h); reaperd resume ends this pause"},
		{"it has no end", Daemons{roots}, 0, ", for your own sweeps only: root's daemon (process 6882) does not go by it (sudo reaperd pause); reaperd resume ends this pause"},
		{"two users' run", Daemons{devs, anns}, time.Hour, ", for your own sweeps only: dev's daemon (process 5770) and ann's daemon (process 5801) do not go by it " +
			"(su dev -c 'reaperd pause 1h' and su ann -c 'reaperd pause 1h'); reaperd resume ends this pause"},
	} {
		if got := row.ds.Paused(row.left); got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
}

func TestADaemonLooksAfterItsUsersThings(t *testing.T) {
	for _, row := range []struct {
		world string
		ds    Daemons
		uid   int
		want  string
	}{
		{"root's looks after all", Daemons{roots}, 1000, "root"},
		{"each looks after its own", Daemons{devs, anns}, 1001, "ann"},
		{"nobody looks after root's", Daemons{devs, anns}, 0, ""},
		{"nor after a third user's", Daemons{devs}, 1001, ""},
	} {
		if d, _ := row.ds.Of(row.uid); d.User != row.want {
			t.Errorf("%s: %q, want %q", row.world, d.User, row.want)
		}
	}
}

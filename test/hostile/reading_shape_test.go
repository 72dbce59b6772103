//go:build linux

package hostile_test

import (
	"strings"
	"testing"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

// A user plays a session whose server has the command of another user's job. The job has
// lost its launcher and the other ends of its stdio. It does not count as a server because
// of the fake session. Neither user has a name in /etc/passwd.
func TestAFakeSessionMakesNoServerOfAnotherUsersProcess(t *testing.T) {
	readingWithin(t, func(t *testing.T, live *farm.Live) {
		const victims, attackers = 5001, 5002
		job := func(name string) actor.Part {
			return cast.Deaf(cast.Server(name, "/opt/queue/worker.js", actor.Pipe, "--queue", "mail"))
		}
		launched, fake := cast.Launched(job("job")), cast.Claude("fake", job("copy"))
		launched.UID, fake.UID = victims, attackers
		live.Start(t, []actor.Part{launched, fake})
		d := daemon.Start(t, live, daemon.Options{Policy: readingPolicy})
		d.AwaitMore(t, 6)
		if !live.Being(t, "job").Alive() {
			t.Error("the job was ended, because another user runs its command below a session")
		}
		if _, report := d.Get(t, "/v1/account"); !strings.Contains(report, live.Being(t, "copy").String()) {
			t.Errorf("the fake session has no server: the test shows nothing\n%.2000s", report)
		}
	})
}

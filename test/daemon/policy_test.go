//go:build linux

package daemon_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"golang.org/x/sys/unix"
)

// broken is a policy with three faults.
const broken = `version: 1
schedule: "@every sometimes"
rules:
  - {name: a, match: {kind: sever}, action: terminate}
  - {name: b, match: {kind: server}, acton: terminate}
`

const reporting = `version: 1
extends: builtin
mode: report
schedule: "@every 60s"
`

const reloaded = "reaperd_policy_last_reload_successful"

func TestAChangedPolicyIsTakenAndABrokenOneRefused(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		live.Start(t, []actor.Part{one("killed"), one("alive")})
		d := daemon.Start(t, live, daemon.Options{Policy: reporting})
		first, _ := d.Status(t)
		if d.Metric(t, reloaded) != 1 {
			t.Error("after the start: the policy counts as not taken")
		}

		d.WritePolicy(t, broken)
		farm.Eventually(t, "the broken policy is refused", func() bool { return d.Metric(t, reloaded) == 0 })
		var state *account.Account
		farm.Eventually(t, "all three faults are told", func() bool { state, _ = d.Status(t); return len(state.Decider.Daemon.PolicyFaults) >= 3 })
		if state.Policy.SHA256 != first.Policy.SHA256 || state.Mode != policy.ModeReport {
			t.Errorf("the policy before is to hold: got %+v in mode %s", state.Policy, state.Mode)
		}
		if code, text := d.Get(t, "/readyz"); code != http.StatusOK {
			t.Errorf("readyz under the policy before: got %d %s", code, text)
		}

		d.WritePolicy(t, enforcing("@every 60s", "1s"))
		farm.Eventually(t, "the mended policy holds", func() bool {
			state, answers := d.Status(t)
			return answers && state.Mode == policy.ModeEnforce && len(state.Decider.Daemon.PolicyFaults) == 0 && d.Metric(t, reloaded) == 1
		})
		live.KillAll(t, []string{"killed"})
		daemon.Gone(t, live, "killed-server")
		daemon.Live(t, live, "alive", "alive-server")
	})
}

// mounted writes a policy as the kubelet writes a ConfigMap: the file is a link through
// another link into a folder, and the link in between is replaced.
func mounted(t *testing.T, folder, version, text string) {
	t.Helper()
	inner, next := filepath.Join(folder, ".."+version), filepath.Join(folder, "..data_tmp")
	for _, err := range []error{
		os.MkdirAll(inner, 0o755), os.WriteFile(filepath.Join(inner, "policies.yaml"), []byte(text), 0o644),
		os.Symlink(".."+version, next), os.Rename(next, filepath.Join(folder, "..data")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestAMountedPolicyIsTakenWhenItsFolderIsReplaced(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		folder := live.Folder.Path("home", "mounted")
		file := filepath.Join(folder, "policies.yaml")
		mounted(t, folder, "1", reporting)
		if err := os.Symlink("..data/policies.yaml", file); err != nil {
			t.Fatal(err)
		}
		d := daemon.Start(t, live, daemon.Options{Args: []string{"--policies", file}})
		for version, text := range []string{enforcing("@every 60s", "1s"), reporting, enforcing("@every 30s", "1s")} {
			before, _ := d.Status(t)
			mounted(t, folder, strconv.Itoa(version+2), text)
			if err := os.RemoveAll(filepath.Join(folder, ".."+strconv.Itoa(version+1))); err != nil {
				t.Fatal(err)
			}
			farm.Eventually(t, "the next version holds", func() bool {
				state, _ := d.Status(t)
				return state.Policy.SHA256 != before.Policy.SHA256
			})
		}
	})
}

func TestAHangupReadsThePolicyAgainAndSweeps(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		d := daemon.Start(t, live, daemon.Options{Policy: reporting})
		before := d.Metric(t, "reaperd_sweeps_total")
		at := d.Metric(t, "reaperd_policy_last_reload_success_timestamp_seconds")
		d.Signal(t, unix.SIGHUP)
		d.AwaitSweeps(t, before+1)
		if now := d.Metric(t, "reaperd_policy_last_reload_success_timestamp_seconds"); now <= at {
			t.Errorf("last reload at %v, was %v", now, at)
		}
	})
}

func TestABadPolicyAtTheStartIsWaitedForAndNothingIsActedOn(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		live.Start(t, []actor.Part{one("killed"), one("alive")})
		live.KillAll(t, []string{"killed"})
		d := daemon.Launch(t, live, daemon.Options{Policy: broken})
		farm.Eventually(t, "the daemon answers", func() bool { _, answers := d.Status(t); return answers })
		farm.Eventually(t, "it says what is wrong", func() bool { state, _ := d.Status(t); return len(state.Decider.Daemon.PolicyFaults) >= 3 })
		if code, text := d.Get(t, "/readyz"); code != http.StatusServiceUnavailable {
			t.Errorf("readyz: got %d %s", code, text)
		}
		if code, text := daemon.GetPort(t, "127.0.0.1:9723", "/readyz"); code != http.StatusServiceUnavailable || strings.Contains(text, "sever") {
			t.Errorf("readyz on a root daemon's port, which quotes no file: got %d %s", code, text)
		}
		if code, _ := d.Get(t, "/healthz"); code != http.StatusOK {
			t.Errorf("healthz: got %d", code)
		}
		d.Signal(t, unix.SIGHUP) // the daemon reads it again; it has the same faults
		if swept := d.Metric(t, "reaperd_sweeps_total"); swept != 0 {
			t.Errorf("%v sweeps without a policy", swept)
		}
		daemon.Live(t, live, "killed-server")
		if said := d.Said(); !strings.Contains(said, "reaperd runs without a policy") || strings.Contains(said, "the one before holds") {
			t.Errorf("it said\n%s", said)
		}

		d.WritePolicy(t, enforcing("@every 60s", "1s"))
		daemon.Gone(t, live, "killed-server")
		farm.Eventually(t, "it is ready", func() bool { code, _ := d.Get(t, "/readyz"); return code == http.StatusOK })
		daemon.Live(t, live, "alive", "alive-server")
	})
}

func TestABadPolicyIsNoReasonNotToEnd(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		d := daemon.Launch(t, live, daemon.Options{Policy: broken})
		farm.Eventually(t, "the daemon answers", func() bool { _, answers := d.Status(t); return answers })
		d.Signal(t, unix.SIGTERM)
		if code := d.AwaitEnd(t); code != 0 {
			t.Errorf("exit code %d, want 0", code)
		}
	})
}

func TestInReportModeNothingIsActedOn(t *testing.T) {
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		live.Start(t, []actor.Part{three("killed")})
		d := daemon.Start(t, live, daemon.Options{Policy: enforcing("@every 1s", "1s"), Args: []string{"--mode", "report"}})
		live.KillAll(t, []string{"killed"})
		farm.Eventually(t, "it would reap all three", func() bool {
			return d.Metric(t, "reaperd_findings", `finding="orphaned"`, `decision="reap"`) == 3
		})
		d.AwaitMore(t, 2)
		daemon.Live(t, live, nine("killed")...)
		if outcomes, unfinished := d.Journal(t); len(outcomes)+len(unfinished) != 0 {
			t.Errorf("journal: %v %v", outcomes, unfinished)
		}
		if d.Metric(t, "reaperd_mode", `mode="report"`) != 1 {
			t.Error("the metric does not say that it only reports")
		}
	})
}

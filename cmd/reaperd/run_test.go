package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// A daemon that was called wrongly ends with the code for that before it takes a lock or
// says that it runs, so that a service manager does not start it again.
func TestADaemonThatWasCalledWronglyDoesNotStart(t *testing.T) {
	for _, row := range []struct {
		world string
		args  []string
		set   map[string]string
		says  string
	}{
		{"an address without a port", []string{"--listen", "foo"}, nil, `want HOST:PORT, such as 127.0.0.1:9723`},
		{"a port that is none", []string{"--listen", "127.0.0.1:99999"}, nil, `"99999" is no port`},
		{"an address of the environment", nil, map[string]string{"REAPERD_LISTEN": "foo"}, "want HOST:PORT"},
		{"an unknown mode", []string{"--mode", "both"}, nil, "want report or enforce"},
		{"a state directory that depends on the folder", nil, map[string]string{"REAPERD_STATE_DIR": "state"}, `REAPERD_STATE_DIR="state": want an absolute path`},
	} {
		t.Run(row.world, func(t *testing.T) {
			dir := ownState(t)
			for name, value := range row.set {
				t.Setenv(name, value)
			}
			got := command(t, append([]string{"run"}, row.args...)...)
			if got.code != exitUsage || !strings.HasPrefix(got.err, "error: ") || !strings.Contains(got.err, row.says) {
				t.Errorf("%+v", got)
			}
			if _, err := os.Stat(string(dir)); err == nil {
				t.Error("it made a state directory")
			}
		})
	}
}

func TestEveryCommandRefusesARelativeStateDirectory(t *testing.T) {
	ownState(t)
	t.Setenv("REAPERD_STATE_DIR", "state")
	for _, args := range [][]string{{"pins"}, {"status"}, {"health"}, {"history"}, {"pause", "1m"}} {
		if got := command(t, args...); got.code != exitUsage || !strings.Contains(got.err, "want an absolute path") {
			t.Errorf("%s: %+v", args[0], got)
		}
	}
}

// TestASecondDaemonIsToldWhatEndsTheFirst, which the test plays: it holds the lock.
func TestASecondDaemonIsToldWhatEndsTheFirst(t *testing.T) {
	held, err := ownState(t).Lock(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	want := fmt.Sprintf("\nhint: reaperd status   shows it; kill %d ends it\n", os.Getpid())
	if got := command(t, "run"); got.code != exitFailed || !strings.HasPrefix(got.err, "error: a daemon runs already (process ") || !strings.HasSuffix(got.err, want) {
		t.Errorf("%+v, want its end %q", got, want)
	}
}

//go:build linux

package farm

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Rule sets another policy (YAML) for all further commands in the world.
func (l *Live) Rule(rules string) { l.World.Rules = rules }

// Forget makes a part close the streams of some of its children.
func (l *Live) Forget(t *testing.T, who string, children ...string) {
	t.Helper()
	names := strings.Join(children, " ")
	if err := l.Folder.Write(who+".drop", names); err != nil {
		t.Fatal(err)
	}
	if err := unix.Kill(l.Being(t, who).PID, unix.SIGUSR2); err != nil {
		t.Fatalf("tell %s to let go: %v", who, err)
	}
	Eventually(t, who+" has let go", func() bool {
		done, err := l.Folder.Read(who + ".dropped")
		return err == nil && done == names
	})
}

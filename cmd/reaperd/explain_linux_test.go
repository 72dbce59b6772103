package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/procstat"
	"github.com/reaperd/reaperd/test/eventually"
)

// zombie is a child that has exited and is not waited for before the test ends.
func zombie(t *testing.T) (pid int, id string) {
	t.Helper()
	child := exec.Command("true")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = child.Wait() })
	pid = child.Process.Pid
	eventually.Holds(t, "the child has exited", func() bool {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			t.Fatal(err)
		}
		stat, err := procstat.Parse(line)
		id = fmt.Sprintf("%d:%d", pid, stat.Start)
		return err == nil && stat.Exited()
	})
	return pid, id
}

func TestExplainTellsWhatAZombieWas(t *testing.T) {
	ownState(t)
	stopped, id := zombie(t)
	other, _ := zombie(t)
	write(t, did("a1", id, "no-such-mcp", "exited", someDay()), did("a2", fmt.Sprintf("%d:1", other), "an-earlier-one", "exited", someDay()))
	for _, c := range []struct {
		name string
		pid  int
		want []string
		not  string
	}{
		{"one that reaperd stopped", stopped, []string{" is a zombie: it has exited, and its parent, ", " (rule orphaned-servers, orphaned): exited"}, "never touche"},
		{"one of whose PID reaperd stopped an earlier process", other, []string{" is a zombie: it has exited, and its parent, ", "\nreaperd never touched it.\n"}, "an-earlier-one"},
	} {
		got := command(t, "explain", strconv.Itoa(c.pid), "--settle", "0")
		for _, want := range c.want {
			if !strings.Contains(got.out, want) || strings.Contains(got.out, c.not) || strings.Contains(got.out, "is no MCP server") || got.code != exitOK {
				t.Errorf("%s: %q is missing, or %q is not, in %+v", c.name, want, c.not, got)
			}
		}
	}
	if got := command(t, "explain", strconv.Itoa(stopped), "--settle", "0", "-o", "json"); !strings.Contains(got.out, `"touched":true`) || !strings.Contains(got.out, `"running":false`) {
		t.Errorf("got %+v", got)
	}
}

package reap

import "testing"

func TestTheGroupThatExecMade(t *testing.T) {
	for _, row := range []struct{ name, cgroup, want string }{
		{"version 2 alone", "0::/user.slice/app-mcp.scope/reaperd-exec-71\n", "/user.slice/app-mcp.scope/reaperd-exec-71"},
		{"version 2 beside version 1", "4:memory:/docker/x\n1:name=systemd:/y\n0::/reaperd-exec-71\n", "/reaperd-exec-71"},
		{"version 1 alone", "4:memory:/reaperd-exec-71\n1:name=systemd:/y\n", ""},
		{"a group that another has made", "0::/user.slice/app-mcp.scope\n", ""},
		{"one whose name only begins like it", "0::/reaperd-exec-71.scope\n", ""},
		{"one without a PID", "0::/reaperd-exec-\n", ""},
		{"the root, which holds everybody", "0::/\n", ""},
		{"outside of this namespace", "0::/../reaperd-exec-71\n", ""},
		{"one that was deleted names no folder of today's", "0::/a/../reaperd-exec-71\n", ""},
		{"a colon in the name", "0::/a:b/reaperd-exec-71\n", "/a:b/reaperd-exec-71"},
		{"nothing", "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := execGroupIn(row.cgroup); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

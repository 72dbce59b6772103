package reap

import "testing"

func TestTheGroupOfAProcess(t *testing.T) {
	for _, row := range []struct{ name, cgroup, want string }{
		{"version 2 alone", "0::/user.slice/user-1000.slice/app-mcp.scope\n", "/user.slice/user-1000.slice/app-mcp.scope"},
		{"version 2 beside version 1", "4:memory:/docker/x\n1:name=systemd:/y\n0::/own\n", "/own"},
		{"version 1 alone", "4:memory:/docker/x\n1:name=systemd:/y\n", ""},
		{"the root, which holds everybody", "0::/\n", ""},
		{"outside of this namespace", "0::/../other.scope\n", ""},
		{"one that was deleted names no folder of today's", "0::/a/../b\n", ""},
		{"a colon in the name", "0::/a:b.scope\n", "/a:b.scope"},
		{"nothing", "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := unifiedPath(row.cgroup); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func TestWhereGroupsAreMounted(t *testing.T) {
	const hybrid = `30 25 0:26 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755
31 30 0:27 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
40 30 0:36 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
`
	for _, row := range []struct{ name, mountinfo, want string }{
		{"version 2 beside version 1", hybrid, "/sys/fs/cgroup/unified"},
		{"version 2 alone", "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n", "/sys/fs/cgroup"},
		{"a part of it only", "29 23 0:26 /docker/x /sys/fs/cgroup ro - cgroup2 cgroup rw\n", ""},
		{"version 1 alone", "31 30 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n", ""},
		{"a line that is cut short", "29 23\n", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := unifiedMount(row.mountinfo); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

package main

import (
	"io/fs"
	"testing"

	"github.com/reaperd/reaperd/internal/advice"
)

func TestWhatEndsWronglyForAServiceManager(t *testing.T) {
	for _, row := range []struct {
		name, command string
		code          int
		env           map[string]string
		want          int
	}{
		{"a person's wrong command line", "run", exitUsage, nil, exitUsage},
		{"systemd's wrong command line", "run", exitUsage, map[string]string{"NOTIFY_SOCKET": "/run/systemd/notify"}, exitMisconfigured},
		{"systemd's command that does not exist", "reaperd", exitUsage, map[string]string{"NOTIFY_SOCKET": "/run/systemd/notify"}, exitMisconfigured},
		{"a script's scan below a service", "scan", exitUsage, map[string]string{"NOTIFY_SOCKET": "/run/systemd/notify"}, exitUsage},
		{"what systemd is to start again", "run", exitFailed, map[string]string{"NOTIFY_SOCKET": "/run/systemd/notify"}, exitFailed},
		{"launchd's wrong command line", "run", exitUsage, map[string]string{"XPC_SERVICE_NAME": "io.github.reaperd"}, exitOK},
		{"what launchd is to start again", "run", exitFailed, map[string]string{"XPC_SERVICE_NAME": "io.github.reaperd"}, exitFailed},
		{"in a terminal on a Mac", "run", exitUsage, map[string]string{"XPC_SERVICE_NAME": "0"}, exitUsage},
	} {
		t.Run(row.name, func(t *testing.T) {
			lookup := func(name string) (string, bool) { value, set := row.env[name]; return value, set }
			if got := forManager(row.command, row.code, lookup); got != row.want {
				t.Errorf("got %d, want %d", got, row.want)
			}
		})
	}
}

func TestWhatCannotBeReadOfTheStateDirectoryHasARemedy(t *testing.T) {
	dir := string(ownState(t))
	denied := &fs.PathError{Op: "open", Path: dir, Err: fs.ErrPermission}
	for _, row := range []struct {
		world string
		err   error
		hint  string
	}{
		{"the directory of another user", advice.Failed("", "read pins: %w", denied), "run it as the user whose " + dir + " is, or name another folder with REAPERD_STATE_DIR"},
		{"the command knows better", advice.Failed("sudo reaperd status", "read pins: %w", denied), "sudo reaperd status"},
		{"another folder", advice.Failed("", "write x: %w", &fs.PathError{Op: "open", Path: "/srv/x", Err: fs.ErrPermission}), ""},
		{"another fault", advice.Failed("", "%w", &fs.PathError{Op: "open", Path: dir, Err: fs.ErrNotExist}), ""},
		{"no error", nil, ""},
	} {
		got := withRemedy(row.err)
		if hint := hintOf(got); hint != row.hint || (got == nil) != (row.err == nil) || got != nil && got.Error() != row.err.Error() {
			t.Errorf("%s: %v, hint %q", row.world, got, hint)
		}
	}
}

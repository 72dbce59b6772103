package main

import "testing"

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

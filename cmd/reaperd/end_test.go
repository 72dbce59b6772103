package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestADaemonThatHangsIsEnded(t *testing.T) {
	for _, row := range []struct {
		name   string
		silent func(since time.Duration) time.Duration // by how long the watch runs
		told   time.Duration                           // when it is told to end; 0 is never
		over   time.Duration                           // when it has ended
		ends   bool
	}{
		{"a loop that is heard of", func(time.Duration) time.Duration { return 20 * time.Second }, 0, time.Hour, false},
		{"a loop that is not heard of any more", func(since time.Duration) time.Duration { return since }, 0, time.Hour, true},
		{"a program that was stopped for an hour and goes on", func(since time.Duration) time.Duration {
			if since <= hangLooks {
				return time.Hour
			}
			return 0
		}, 0, time.Hour, false},
		{"told to end, and it does", func(time.Duration) time.Duration { return 0 }, time.Minute, time.Minute + 20*time.Second, false},
		{"told to end, and something hangs", func(time.Duration) time.Duration { return 0 }, time.Minute, time.Hour, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				told, tell := context.WithCancel(t.Context())
				defer tell()
				over, end := context.WithTimeout(context.Background(), row.over)
				defer end()
				if row.told > 0 {
					time.AfterFunc(row.told, tell)
				}
				why := watchForHang(told, over, func() time.Duration { return row.silent(time.Since(began)) })
				if (why != "") != row.ends {
					t.Errorf("got %q after %s", why, time.Since(began))
				}
			})
		})
	}
}

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

// Package standin has what tests need in place of the real thing: a child that looks like
// an MCP server, the socket of a daemon that was killed.
package standin

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// Server is a child with the name of an MCP server, which waits for its stdin to
// close. It is gone when the test is over.
func Server(t *testing.T, name string) (pid string) {
	t.Helper()
	script := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(script, []byte("#!/bin/sh\nread line\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	child := exec.Command(script)
	in, err := child.StdinPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = child.Wait() })
	return strconv.Itoa(child.Process.Pid)
}

// DeadSocket leaves a Unix socket that nobody serves, as a killed daemon does.
func DeadSocket(t *testing.T, path string) {
	t.Helper()
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	listener.SetUnlinkOnClose(false)
	listener.Close()
}

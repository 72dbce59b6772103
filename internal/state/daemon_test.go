package state

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain makes the test binary a daemon of its own where it is asked to.
func TestMain(m *testing.M) {
	if dir := os.Getenv("STATE_TEST_HOLD"); dir != "" {
		hold(Dir(dir))
		return
	}
	os.Exit(m.Run())
}

// hold holds the lock until stdin ends.
func hold(d Dir) {
	if _, err := d.Lock(noon); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("locked")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func startHolder(t *testing.T, d Dir) *exec.Cmd {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "STATE_TEST_HOLD="+string(d))
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = child.Process.Kill(); _ = child.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "locked\n" {
		t.Fatalf("the other daemon said %q, %v", line, err)
	}
	return child
}

func TestASecondDaemonIsRefusedAndToldOfTheFirst(t *testing.T) {
	d := freshDir(t)
	child := startHolder(t, d)
	_, err := d.Lock(noon.Add(time.Hour))
	var running *RunningError
	if !errors.As(err, &running) || running.PID != child.Process.Pid || !running.Since.Equal(noon) {
		t.Fatalf("got %v", err)
	}
	if text := err.Error(); !strings.Contains(text, fmt.Sprintf("process %d", child.Process.Pid)) || !strings.Contains(text, string(d)) {
		t.Errorf("said %q", text)
	}
	if daemon, runs, err := d.Daemon(); !runs || err != nil || daemon.PID != child.Process.Pid {
		t.Errorf("asked: %+v, %v, %v", daemon, runs, err)
	}
}

func TestADaemonThatWasKilledLeavesNoLockBehind(t *testing.T) {
	d := freshDir(t)
	child := startHolder(t, d)
	if err := child.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	if daemon, runs, err := d.Daemon(); runs || err != nil {
		t.Errorf("asked: %+v, %v, %v", daemon, runs, err)
	}
	held, err := d.Lock(noon)
	if err != nil {
		t.Fatal(err)
	}
	if err := held.Close(); err != nil {
		t.Error(err)
	}
}

func TestNoDaemonWhereNoneEverRan(t *testing.T) {
	d := freshDir(t)
	if daemon, runs, err := d.Daemon(); runs || err != nil {
		t.Errorf("asked: %+v, %v, %v", daemon, runs, err)
	}
	if _, err := os.Stat(string(d)); !os.IsNotExist(err) {
		t.Error("asking made a directory")
	}
}

func TestAskingHoldsUpNoDaemon(t *testing.T) {
	d := freshDir(t)
	held, err := d.Lock(noon)
	if err != nil {
		t.Fatal(err)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 300 {
			_, _, _ = d.Daemon()
		}
	}()
	for range 30 {
		held, err := d.Lock(noon)
		if err != nil {
			t.Error(err)
			break
		}
		if err := held.Close(); err != nil {
			t.Error(err)
		}
	}
	<-done
}

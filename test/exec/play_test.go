//go:build linux

package exec_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/reaperd/reaperd/test/farm"
	"golang.org/x/sys/unix"
)

// The environment of what the test binary plays. Everything of a round has its
// mark, and so can be counted.
const (
	envPlay  = "EXEC_PLAY"
	envRound = "EXEC_ROUND"
)

func TestMain(m *testing.M) {
	if part := os.Getenv(envPlay); part != "" {
		os.Exit(play(part))
	}
	farm.Main(m)
}

func play(part string) int {
	switch part {
	case "client":
		return client(os.Args[1:])
	case "launcher":
		return launcher(os.Args[1:])
	case "obedient":
		return answer()
	case "stubborn":
		deaf()
		begin("fork", "bin/helper")
		begin("browser", "bin/chromium", "--headless", "--remote-debugging-pipe", "--user-data-dir=/tmp/puppeteer_dev_chrome_profile-test")
		answer()
	case "driver":
		pipes, err := drive()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer runtime.KeepAlive(pipes)
		return answer()
	case "login":
		begin("browser", "bin/firefox", "https://login.example")
		return answer()
	case "fork":
		begin("away", "bin/helper")
		return 0
	case "away", "browser":
		deaf()
	}
	return pause() // ignores the end of its input
}

// deaf ignores every signal that can be ignored.
func deaf() {
	for n := syscall.Signal(1); n < 32; n++ {
		signal.Ignore(n)
	}
}

// begin starts a process in a session of its own, with nothing of this one's.
func begin(part, program string, args ...string) {
	command := exec.Command(os.Getenv("EXEC_FOLDER")+"/"+program, args...)
	command.Env = append(os.Environ(), envPlay+"="+part)
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := command.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if part == "fork" {
		_ = command.Wait()
	}
}

// answer answers each line with its word and ends with the input.
func answer() int {
	fmt.Println("ready")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		fmt.Println("answer to", lines.Text())
	}
	return 0
}

// launcher starts what it is told to, with its own stdio, and waits.
func launcher(argv []string) int {
	command := exec.Command(argv[0], argv[1:]...)
	command.Env = append(os.Environ(), envPlay+"="+os.Getenv("EXEC_BELOW"))
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	_ = command.Run()
	return command.ProcessState.ExitCode()
}

// client starts a server over pipes, as clients do, and passes on what the test
// says to it and what it says. It outlives the server.
func client(argv []string) int {
	command := exec.Command(argv[0], argv[1:]...)
	command.Env = append(os.Environ(), envPlay+"="+os.Getenv("EXEC_BELOW"))
	command.Stderr = os.Stderr
	stdin, _ := command.StdinPipe()
	stdout, _ := command.StdoutPipe()
	if err := command.Start(); err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("started", command.Process.Pid)
	go func() {
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			if lines.Text() == "close" {
				_ = stdin.Close()
				continue
			}
			fmt.Fprintln(stdin, lines.Text())
		}
	}()
	go func() {
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			if strings.TrimSpace(lines.Text()) != "" {
				fmt.Println(lines.Text())
			}
		}
	}()
	state, _ := command.Process.Wait()
	if os.Getenv("EXEC_BELOW") != "launcher" { // else the server below may go on
		_ = stdin.Close()
		_ = stdout.Close()
	}
	fmt.Println("ended", state.ExitCode())
	return pause()
}

// pause never returns. Without cgo the runtime ends a program that waits in Go for
// nothing.
func pause() int {
	for {
		_ = unix.Pause()
	}
}

package selftest

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
)

// The parts that a child can play.
const (
	partWait     = "wait"     // stays until its lifeline ends
	partOrphan   = "orphan"   // starts one that waits, and ends
	partListen   = "listen"   // listens on TCP and on a Unix socket
	partExit     = "exit"     // ends at once
	partStubborn = "stubborn" // stays, and ignores SIGTERM
)

// The descriptors of a child beyond the usual three.
const (
	lifelineFD = 3 // ends when whoever tests does
	wordFD     = 4 // takes a line when the child is up
)

// Play plays a part in a child, and returns when it is over. What stands behind
// the part is only there to be read back.
func Play(part string) error {
	signal.Reset(syscall.SIGTERM) // the program's own handler would outlive one
	lifeline, word := os.NewFile(lifelineFD, "lifeline"), os.NewFile(wordFD, "word")
	said := fmt.Sprint(os.Getpid())
	switch part {
	case partExit:
		return nil
	case partOrphan:
		return orphan(lifeline, word)
	case partListen:
		at, err := listen(lifeline)
		if err != nil {
			return err
		}
		said += " " + at
	case partStubborn:
		signal.Ignore(syscall.SIGTERM)
	}
	if _, err := fmt.Fprintln(word, said); err != nil {
		return err
	}
	if err := word.Close(); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, lifeline)
	return err
}

// orphan starts a child with the same streams, and leaves it behind.
func orphan(lifeline, word *os.File) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	child := &exec.Cmd{Path: program, Args: partArgs(partWait), Stdin: os.Stdin, Stdout: os.Stdout, ExtraFiles: []*os.File{lifeline, word}}
	return child.Start()
}

// listen listens on loopback and, beside it, at a path in the working directory.
// It accepts and says nothing.
func listen(lifeline *os.File) (string, error) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	local, err := net.Listen("unix", filepath.Join(".", socketName))
	if err != nil {
		return "", err
	}
	for _, listener := range []net.Listener{tcp, local} {
		go func() {
			for {
				if _, err := listener.Accept(); err != nil {
					return
				}
			}
		}()
	}
	return tcp.Addr().String(), nil
}

const socketName = "s"

// Command is the hidden command that plays a part.
const Command = "self-test-part"

// partArgs is the command line of a part: how this program was called, so that it
// finds itself, the command, the part.
func partArgs(part string, further ...string) []string {
	return append([]string{os.Args[0], Command, part}, further...)
}

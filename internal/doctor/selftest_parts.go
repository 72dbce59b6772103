package doctor

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
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
	lifelineFD = 3 // ends when the tester does
	wordFD     = 4 // takes a line when the child is up
)

// PlayPart plays a part in a child and returns when it is over. Arguments behind the part
// are there only to be read back by the scanner.
func PlayPart(part string) error {
	signal.Reset(syscall.SIGTERM) // the program's own handler would outlive one
	lifeline, word := os.NewFile(lifelineFD, "lifeline"), os.NewFile(wordFD, "word")
	said := fmt.Sprint(os.Getpid())
	switch part {
	case partExit:
		return nil
	case partOrphan:
		return orphan(lifeline, word)
	case partListen:
		at, err := listen()
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

// listen listens on loopback and at a path in the working directory. It accepts
// connections and sends nothing.
func listen() (string, error) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	_ = os.Remove(socketName(folder)) // an earlier listener's
	local, err := net.Listen("unix", socketName(folder))
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

// socketName is the listener's name in a self-test's folder: the number the folder
// ends with. The kernel's table holds the name as it was bound, so a name that
// another self-test uses at the same time would show that one's connections too. The
// whole path does not fit into an address on macOS.
func socketName(folder string) string {
	_, number, _ := strings.Cut(filepath.Base(folder), folderPrefix)
	return number
}

// PartCommand is the hidden command that plays a part.
const PartCommand = "self-test-part"

// partArgs is the command line of a part: how this program was called, so that it
// finds itself, the command, the part.
func partArgs(part string, further ...string) []string {
	return append([]string{os.Args[0], PartCommand, part}, further...)
}

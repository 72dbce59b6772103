//go:build linux

// Shots makes the pictures of `reaperd scan` and `reaperd top` in a folder: it runs
// them on a terminal in the world that `reaperd demo` plays, types keys, and draws
// what the screen shows.
//
//	go run ./hack/shots REAPERD FOLDER
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/reaperd/reaperd/test/terminal"
)

// shot is one picture.
type shot struct {
	file, title string
	line        string // what the shell runs
	size        terminal.Size
	shows       []string // what has to be on the screen
	keys, marks string   // what is typed then, and what has to be marked after it
}

func shots() []shot {
	return []shot{
		{"scan.svg", "reaperd scan", "sleep 65; exec reaperd scan", terminal.Size{Width: 96, Height: 52}, []string{"LEAKED", "IN USE", "codex"}, "", ""},
		{"top.svg", "reaperd top", "exec reaperd top", terminal.Size{Width: 96, Height: 24}, []string{"LEAKED", "stops in", "idle", "1m ", "? help"}, "nnnn", "mcp"},
	}
}

// patience is how long a screen may take to come: a session has been idle for a while
// on it.
const patience = 3 * time.Minute

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: shots REAPERD FOLDER")
		os.Exit(2)
	}
	for _, s := range shots() {
		if err := s.take(os.Args[1], os.Args[2]); err != nil {
			fmt.Fprintf(os.Stderr, "shots: %s: %v\n", s.file, err)
			os.Exit(1)
		}
	}
}

func (s shot) take(reaperd, folder string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	on, err := terminal.Open(s.size)
	if err != nil {
		return err
	}
	defer on.Close()
	command := exec.CommandContext(ctx, reaperd, "demo", "--fast", "--life-size", "--", "sh", "-c", s.line)
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "TERM=xterm-256color", "LANG=C.UTF-8"}
	if err := on.Start(command); err != nil {
		return err
	}
	defer func() {
		_ = command.Process.Signal(os.Interrupt) // what is over has ended by itself
		_ = command.Wait()
	}()
	if err := on.Await(ctx, s.ready); err != nil {
		return err
	}
	if err := on.Type(s.keys); err != nil {
		return err
	}
	marked := func(string) bool { return strings.Contains(on.Marked(), s.marks) }
	if err := on.Await(ctx, marked); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, s.file), []byte(on.SVG(s.title)), 0o644)
}

// ready reports whether the screen shows all of it.
func (s shot) ready(text string) bool {
	for _, needed := range s.shows {
		if !strings.Contains(text, needed) {
			return false
		}
	}
	return true
}

package supervise

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// find looks a program up as execvp(3) does.
func find(program string) (string, error) {
	if strings.Contains(program, "/") {
		return program, executable(program)
	}
	result := error(syscall.ENOENT)
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(folder, program)
		if !strings.Contains(path, "/") {
			path = "./" + path
		}
		switch err := executable(path); {
		case err == nil:
			return path, nil
		case errors.Is(err, syscall.EACCES):
			result = err
		}
	}
	return "", result
}

// executable is nil for a file that may be run.
func executable(path string) error {
	info, err := os.Stat(path)
	var at *os.PathError
	switch {
	case errors.As(err, &at):
		return at.Err
	case err != nil:
		return err
	case info.IsDir(), info.Mode()&0o111 == 0:
		return syscall.EACCES
	}
	return nil
}

// start starts the server with the very descriptors that reaperd has.
func (s *supervisor) start(path string) error {
	words := s.line.commandLine()
	if err := s.host.open(); err != nil {
		return err
	}
	attributes := &syscall.ProcAttr{
		Env:   environment(os.Environ(), Owner()),
		Files: []uintptr{0, 1, 2},
		Sys:   s.host.attributes(),
	}
	var err error
	s.main, err = s.host.fork(path, words, attributes)
	if errors.Is(err, syscall.ENOEXEC) { // a script without its first line, as execvp(3) takes it
		s.main, err = s.host.fork("/bin/sh", append([]string{"sh", path}, words[1:]...), attributes)
	}
	if err != nil {
		s.host.close()
		return err
	}
	s.host.settle()
	return nil
}

// ownerVariable names reaperd as what the server belongs to, for the daemon.
const ownerVariable = "REAPERD_OWNER"

// environment is the server's: reaperd's own with the owner in it.
func environment(own []string, owner string) []string {
	server := make([]string, 0, len(own)+1)
	for _, entry := range own {
		name, _, _ := strings.Cut(entry, "=")
		if name != preparedVariable && name != ownerVariable {
			server = append(server, entry)
		}
	}
	return append(server, ownerVariable+"="+owner)
}

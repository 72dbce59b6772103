package supervise

import (
	"errors"
	"os"
	"path"
	"strings"
	"syscall"
)

// find looks up a program as execvp(3) does.
func find(program string) (string, error) {
	if strings.Contains(program, "/") {
		return program, executable(program)
	}
	result := error(syscall.ENOENT)
	for _, folder := range searched(os.Getenv("PATH")) {
		file := path.Join(folder, program)
		if !strings.Contains(file, "/") {
			file = "./" + file
		}
		switch err := executable(file); {
		case err == nil:
			return file, nil
		case errors.Is(err, syscall.EACCES):
			result = err
		}
	}
	return "", result
}

// searched are the folders of PATH; an empty entry is the working directory.
func searched(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ":")
}

// executable is nil for a file that may be executed.
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

// start starts the server with reaperd's own descriptors, once reaperd is ready for
// its signals.
func (s *supervisor) start(path string, ready <-chan struct{}) error {
	words := s.line.commandLine()
	if err := s.host.open(s.terminal); err != nil {
		return err
	}
	attributes := &syscall.ProcAttr{
		Env:   environment(os.Environ(), Owner()),
		Files: []uintptr{0, 1, 2},
		Sys:   s.host.attributes(s.terminal),
	}
	<-ready
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

// ownerVariable tells the daemon that reaperd owns the server.
const ownerVariable = "REAPERD_OWNER"

// environment is the server's environment: reaperd's own, and the owner.
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

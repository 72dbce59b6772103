package supervise

import (
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// stopContainer asks the engine to stop the server's container by its id. It returns
// false if there is none.
func (s *supervisor) stopContainer() bool {
	id := s.containerID()
	if id == "" || s.stopper != 0 || !s.containerRuns() {
		return false
	}
	return s.engine("stop", "-t", strconv.Itoa(max(1, int(s.line.Grace/2/time.Second))), id)
}

// engine starts the container CLI: the program of the command line with its
// global flags, so that it is the same engine.
func (s *supervisor) engine(command ...string) bool {
	words := append(slices.Clone(s.line.Args[:s.line.Container.At-1]), command...)
	path, err := find(words[0])
	if err != nil {
		return false
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer null.Close()
	pid, err := syscall.ForkExec(path, words, &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{null.Fd(), null.Fd(), null.Fd()}})
	if err != nil {
		return false
	}
	s.stopper = pid
	return true
}

// stopped continues after that CLI has exited. Its error is shown only if
// the container may still run, because docker also complains about a container that
// is gone. A container that only its runner would remove is removed before the runner
// is ended.
func (s *supervisor) stopped(status syscall.WaitStatus) {
	s.stopper = 0
	if code(status) != 0 && s.containerRuns() {
		say("the engine did not stop the container %s; the daemon looks after it", s.containerID())
	}
	first := !s.emptied
	s.emptied = true
	if first && s.line.Container.Remove && s.engine("rm", "-f", s.containerID()) {
		return
	}
	s.terminateProcesses()
}

// containerRuns reports that the container may run: its runner runs, or has exited in
// a way that leaves the container behind.
func (s *supervisor) containerRuns() bool {
	if s.emptied || s.containerID() == "" {
		return false
	}
	return !s.exited || s.status.Signaled() || s.status.ExitStatus() == engineFailed
}

// containerID is the container's id; "" if there is no container, or none yet.
func (s *supervisor) containerID() string {
	if s.line.Container.CIDFile == "" {
		return ""
	}
	id, _ := os.ReadFile(s.line.Container.CIDFile)
	return strings.TrimSpace(string(id))
}

// folderPrefix is the beginning of the name of a folder that holds one container's
// id.
const folderPrefix = "reaperd-exec-"

// staleAfter is how long the folder of a killed supervisor is kept. The daemon reads
// it to find the container's owner.
const staleAfter = 24 * time.Hour

// CIDFile makes a folder below parent that only its owner can enter, and returns the
// path to which the container's id is to be written. Run removes the folder. CIDFile
// also removes stale folders of supervisors that were killed.
func CIDFile(parent string) (string, error) {
	left, _ := os.ReadDir(parent) // what cannot be listed is not removed
	for _, entry := range left {
		removeStale(path.Join(parent, entry.Name()))
	}
	folder, err := os.MkdirTemp(parent, folderPrefix+strconv.Itoa(os.Getpid())+"-*")
	if err != nil {
		return "", err
	}
	return path.Join(folder, "cid"), nil
}

// removeStale removes a folder that CIDFile made if its supervisor is gone and nobody
// has written to it for staleAfter. It cannot remove another user's.
func removeStale(folder string) {
	rest, made := strings.CutPrefix(path.Base(folder), folderPrefix)
	owner, _, _ := strings.Cut(rest, "-")
	pid, err := strconv.Atoi(owner)
	if !made || err != nil || syscall.Kill(pid, 0) == nil {
		return
	}
	file := path.Join(folder, "cid")
	info, err := os.Lstat(file)
	if err != nil || time.Since(info.ModTime()) < staleAfter {
		return
	}
	_ = os.Remove(file)
	_ = os.Remove(folder)
}

// folder is the folder that [CIDFile] made; "" if the file is somebody else's.
func (c Container) folder() string {
	folder := path.Dir(c.CIDFile)
	if c.CIDFile == "" || !strings.HasPrefix(path.Base(folder), folderPrefix) {
		return ""
	}
	return folder
}

// tidy removes the folder of the container's id.
func (s *supervisor) tidy() {
	if folder := s.line.Container.folder(); folder != "" {
		_ = os.Remove(s.line.Container.CIDFile)
		_ = os.Remove(folder)
	}
}

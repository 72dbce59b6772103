package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/ownfile"
)

// Daemon is a running daemon.
type Daemon struct {
	PID   int       `json:"pid"` // as it sees itself; 0 is not known
	Since time.Time `json:"since,omitzero"`
}

// String names it for people: "process 4121, since 2026-11-22 14:46:09".
func (d Daemon) String() string {
	who := "another process"
	if d.PID > 0 {
		who = fmt.Sprintf("process %d", d.PID)
	}
	if !d.Since.IsZero() {
		who += ", since " + human.Moment(d.Since.Local())
	}
	return who
}

// RunningError refuses a second daemon.
type RunningError struct {
	Daemon
	Dir Dir
}

func (e *RunningError) Error() string {
	return fmt.Sprintf("a daemon runs already (%s) with state directory %s", e.Daemon, e.Dir)
}

// Lock is held by a daemon for life. The system releases it when the daemon is
// killed.
type Lock struct{ file *os.File }

// lockWait is how long a daemon waits for the lock: [Dir.Daemon] takes it for a
// moment to see whether a daemon runs.
const lockWait = 500 * time.Millisecond

// Lock makes this process the directory's daemon, or returns a [*RunningError].
func (d Dir) Lock(now time.Time) (*Lock, error) {
	if err := d.make(); err != nil {
		return nil, fmt.Errorf("lock %s: %w", d, ownfile.Cause(err))
	}
	file, err := ownfile.Lock(d.path(daemonLock), lockWait)
	if errors.Is(err, ownfile.ErrHeld) {
		running, _, _ := d.Daemon() // else it is not known which
		return nil, &RunningError{Daemon: running, Dir: d}
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", d, ownfile.Cause(err))
	}
	// A full disk does not take the name of the holder; the lock holds all the same.
	_ = sign(file, Daemon{PID: os.Getpid(), Since: now})
	return &Lock{file}, nil
}

// sign writes the holder into the locked file.
func sign(file *os.File, daemon Daemon) error {
	data, err := json.Marshal(daemon)
	if err == nil {
		err = file.Truncate(0)
	}
	if err == nil {
		_, err = file.WriteAt(append(data, '\n'), 0)
	}
	return err
}

// maxSignature is the most that is read of the locked file, in bytes.
const maxSignature = 4096

// signature is the daemon named in the locked file; zero if it cannot be read, as in
// the moment before it is written.
func signature(file *os.File) Daemon {
	var daemon Daemon
	data, err := io.ReadAll(io.NewSectionReader(file, 0, maxSignature))
	if err != nil || json.Unmarshal(data, &daemon) != nil {
		return Daemon{}
	}
	return daemon
}

// Close releases the lock.
func (l *Lock) Close() error {
	return errors.Join(l.file.Truncate(0), l.file.Close())
}

// Daemon returns the holder of the directory's lock, and whether there is one.
func (d Dir) Daemon() (Daemon, bool, error) {
	file, err := os.OpenFile(d.path(daemonLock), os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return Daemon{}, false, nil
	}
	if err != nil {
		return Daemon{}, false, fmt.Errorf("look for a daemon: %w", err)
	}
	defer file.Close()
	err = ownfile.Shared(file, 0)
	switch {
	case err == nil:
		return Daemon{}, false, nil
	case errors.Is(err, ownfile.ErrHeld):
		return signature(file), true, nil
	}
	return Daemon{}, false, fmt.Errorf("look for a daemon: %w", err)
}

// HasDaemon reports that a daemon decides about this user's things: this directory's, or the host's.
func (d Dir) HasDaemon() bool {
	if _, own, _ := d.Daemon(); own || d.HostSocket() == "" {
		return own
	}
	conn, err := net.Dial("unix", d.HostSocket())
	if err == nil {
		_ = conn.Close()
	}
	return err == nil
}

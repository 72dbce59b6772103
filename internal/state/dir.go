package state

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/ownfile"
)

// Dir is a state directory. It need not exist before something is written.
type Dir string

// UserDir is the state directory of the user with that home, as far as another user
// can tell: only the owner knows XDG_STATE_HOME.
func UserDir(home string) Dir { return Dir(filepath.Join(home, ".local", "state", "reaperd")) }

// The files of a state directory.
const (
	pinsFile    = "pins.json"
	pauseFile   = "pause.json"
	wrappedFile = "wrapped.json"
	daemonLock  = "daemon.lock" // held by a daemon for life
	changeLock  = "state.lock"  // held while a file is changed
)

// The modes of what belongs to one user alone.
const (
	privateDir  fs.FileMode = 0o700
	privateFile fs.FileMode = 0o600
)

// version is the format version of every file.
const version = 1

// maxFile is the largest file that is read, in bytes; that is some thousand pins.
const maxFile = 1 << 20

// changeWait is how long a change waits for another one.
const changeWait = 2 * time.Second

func (d Dir) path(file string) string { return filepath.Join(string(d), file) }

// make creates the directory if it does not exist.
func (d Dir) make() error { return os.MkdirAll(string(d), privateDir) }

// read reads one JSON file that only the owner, or root, can have written, in a
// folder in which nobody else can replace it. If there is none, the error is
// fs.ErrNotExist.
func (d Dir) read(file string, owner int, into any) error {
	data, err := ownfile.Read(d.path(file), ownfile.Terms{Owner: owner, Most: maxFile, Folders: ownfile.ItsFolder})
	if err != nil {
		return err
	}
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return fmt.Errorf("it is damaged: %w", err)
	}
	if head.Version != version {
		return fmt.Errorf("version %d: this reaperd reads version %d", head.Version, version)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("it is damaged: %w", err)
	}
	return nil
}

var errTooLarge = fmt.Errorf("it would be larger than %d KiB", maxFile>>10)

// write replaces one file as a whole.
func (d Dir) write(file string, value any) error {
	data, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return err
	}
	if len(data) >= maxFile {
		return errTooLarge
	}
	out, err := renameio.NewPendingFile(d.path(file), renameio.WithTempDir(string(d)), renameio.WithStaticPermissions(privateFile))
	if err != nil {
		return ownfile.Cause(err)
	}
	defer out.Cleanup()
	if _, err := out.Write(append(data, '\n')); err != nil {
		return ownfile.Cause(err)
	}
	return out.CloseAtomicallyReplace()
}

// change calls do, which reads and replaces files, while nobody else does. The error of a
// full disk has a hint.
func (d Dir) change(do func() error) error {
	if err := d.make(); err != nil {
		return err
	}
	file, err := d.openLock(changeLock, privateFile)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := journal.Exclusive(file, changeWait); err != nil {
		return err
	}
	return d.withRemedy(do())
}

// openLock opens a file of the directory to lock it. In a directory that somebody else can change it would be anybody's.
func (d Dir) openLock(file string, mode fs.FileMode) (*os.File, error) {
	folder, err := ownfile.OpenFolder(string(d))
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	return folder.Open(file, os.O_CREATE|os.O_RDWR, mode)
}

package wrap

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"

	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/ownfile"
)

// backupEnding is the suffix of a backup's name.
const backupEnding = ".before-reaperd"

// configFile is one client's configuration.
type configFile struct {
	// Path is the file's name as given; Real is its path with all symbolic links
	// resolved.
	Path, Real string
	Client     string
	data       []byte
	info       fs.FileInfo
}

// openFile reads a client's file; client may be "".
func openFile(path, client string) (configFile, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		if target, noLink := os.Readlink(path); noLink == nil {
			err = fmt.Errorf("%s, a link to %s: %w", path, target, err)
		}
		return configFile{}, err
	}
	data, err := read(path, true)
	if err != nil {
		return configFile{}, err
	}
	info, err := os.Stat(real)
	return configFile{Path: path, Real: real, Client: client, data: data, info: info}, err
}

// maxFile is the largest file that is read, in bytes, as by [discover].
const maxFile = 4 << 20

// read reads a regular file. Whoever has made it may have made it anything: a device, a file without an end, a link to
// one. Root reads only what nobody else could have put there, because what it then writes could be led elsewhere.
func read(path string, links bool) ([]byte, error) {
	terms := ownfile.Terms{Owner: ownfile.Anyone, Most: maxFile, Links: links}
	if os.Geteuid() == 0 {
		terms.Owner, terms.Folders = 0, ownfile.AllFolders
	}
	data, err := ownfile.Read(path, terms)
	switch {
	case errors.Is(err, ownfile.ErrForeign), errors.Is(err, ownfile.ErrWritable):
		return nil, human.Failed("run it as the user whose it is", "%s: %w", path, err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}

// linked says which file is written where the name is that of a link; "" if it is none.
func (f configFile) linked() string {
	folder, err := filepath.EvalSymlinks(filepath.Dir(f.Path))
	if err == nil && filepath.Join(folder, filepath.Base(f.Path)) == f.Real {
		return ""
	}
	return human.Safe(f.Path) + " is a link: the file is " + human.Safe(f.Real)
}

// config returns how the client writes the file.
func (f configFile) config() discover.Config { return discover.ConfigOf(f.Client, f.Path) }

// wrap returns the change that wraps all servers of the file.
func (f configFile) wrap(program string) (fileChange, error) {
	return wrapping(f.data, f.config(), program)
}

// undo returns the change that unwraps all servers. If nothing else has changed since
// wrap, the result equals the backup, byte for byte.
func (f configFile) undo() (fileChange, error) {
	c, err := unwrapping(f.data, f.config())
	if err != nil {
		return c, err
	}
	if first, ok := f.untouched(); ok {
		c.After = first
	}
	return c, nil
}

// untouched returns the backup, unwrapped, if wrapping it results in the present file.
func (f configFile) untouched() ([]byte, bool) {
	backup, err := read(f.backup(), false)
	if err != nil {
		return nil, false
	}
	program := f.program()
	again, err := wrapping(backup, f.config(), program)
	if err != nil || program == "" || !bytes.Equal(again.After, f.data) {
		return nil, false
	}
	first, err := unwrapping(backup, f.config())
	return first.After, err == nil
}

// program returns the program of the first server in the file that wrap has wrapped.
func (f configFile) program() string {
	servers, _ := discover.Read(f.config(), f.data)
	for _, s := range servers {
		if words := commandLine(s); isOurs(words) {
			return words[0]
		}
	}
	return ""
}

// backup returns the path of the backup.
func (f configFile) backup() string { return f.Real + backupEnding }

// errChanged means that somebody has written the file since it was read.
var errChanged = errors.New("changed since it was read: nothing was written, try again")

// write makes the change in one step, keeping the file's mode and owner. A wrapped
// file has a backup beside it; an unwrapped one has none.
func (f configFile) write(c fileChange, keep bool) error {
	now, err := read(f.Path, true)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, c.Before) {
		return fmt.Errorf("%s: %w", f.Path, errChanged)
	}
	if keep {
		if err := f.replace(f.backup(), c.Before); err != nil {
			return fmt.Errorf("write %s, with a backup beside it: %w", f.Path, ownfile.Nameless(err))
		}
	}
	if err := f.replace(f.Real, c.After); err != nil {
		return fmt.Errorf("write %s: %w", f.Path, ownfile.Nameless(err))
	}
	if keep {
		return nil
	}
	if err := os.Remove(f.backup()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// remedy is the hint for an error of write; "" if there is none. A file is replaced as a whole, so who
// may write it alone cannot change it.
func (f configFile) remedy(err error) string {
	if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return ""
	}
	return "ls -ld " + human.Shell(filepath.Dir(f.Real)) + "   who may write in that folder can change it; the file is as it was"
}

// replace writes a file as a whole, with this one's mode and owner.
func (f configFile) replace(path string, data []byte) error {
	pending, err := renameio.NewPendingFile(path, renameio.WithStaticPermissions(f.info.Mode().Perm()))
	if err != nil {
		return err
	}
	defer pending.Cleanup()
	if owner, ok := f.info.Sys().(*syscall.Stat_t); ok && os.Geteuid() == 0 {
		if err := pending.Chown(int(owner.Uid), int(owner.Gid)); err != nil {
			return err
		}
	}
	if _, err := pending.Write(data); err != nil {
		return err
	}
	return pending.CloseAtomicallyReplace()
}

package discover

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/reaperd/reaperd/internal/ownfile"
)

// The largest configuration file that is read, in bytes: below a home, where ~/.claude.json keeps a history and
// grows to megabytes, and in a project, where people's files have some kilobytes.
const (
	maxFile        = 4 << 20
	maxProjectFile = 256 << 10
)

// maxLinks is how many symbolic links a file may be behind.
const maxLinks = 16

var (
	errOutside   = errors.New("a link leads out of the folder")
	errForbidden = errors.New("the daemon does not look there, so that macOS does not ask for permission; run `reaperd discover`")
	errIrregular = errors.New("not a regular file")
	errForeign   = errors.New("belongs to another user")
	errLinks     = errors.New("too many links")
)

// reach is a directory below which a user may have put anything. Files are opened
// relative to it by [os.Root], which walks step by step, follows no links, and thus
// cannot be led out, whatever is renamed meanwhile. It works the same on Linux and
// macOS.
type reach struct {
	root *os.Root
	dir  string
	uid  int
	// alone admits the user's own files only: reaperd opens them with its own rights,
	// so nothing else tells whether the user may read them.
	alone bool
	most  int64 // bytes of one file
	// forbidden reports paths that must not be touched; nil if there are none.
	forbidden func(string) bool
}

// openHome opens a home. As root, it must belong to its user; system accounts often
// name a folder that is not theirs.
func openHome(home Home, asRoot bool) (reach, error) {
	root, err := os.OpenRoot(home.Dir)
	if err != nil {
		return reach{}, err
	}
	info, err := root.Stat(".")
	if err == nil && asRoot && ownerOf(info) != home.UID {
		err = errForeign
	}
	if err != nil {
		return reach{}, errors.Join(err, root.Close())
	}
	return reach{root: root, dir: home.Dir, uid: home.UID, most: maxFile}, nil
}

// openFolder opens a directory by the path that the system named. It refuses a link
// that has replaced any part of the path since.
func openFolder(dir string, uid int) (reach, error) {
	root, err := os.OpenRoot("/")
	for _, step := range strings.FieldsFunc(dir, func(r rune) bool { return r == '/' }) {
		if err != nil {
			return reach{}, err
		}
		root, err = stepInto(root, step)
	}
	return reach{root: root, dir: dir, uid: uid, most: maxFile}, err
}

// stepInto closes a directory and opens one right below it that is no link. It
// compares the identities, because a link may replace the folder in between.
func stepInto(root *os.Root, name string) (*os.Root, error) {
	defer root.Close()
	seen, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !seen.IsDir() {
		return nil, syscall.ENOTDIR
	}
	next, err := root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if opened, err := next.Stat("."); err != nil || !os.SameFile(seen, opened) {
		return nil, errors.Join(errOutside, next.Close())
	}
	return next, nil
}

func (r reach) close() error { return r.root.Close() }

// find looks up a file without opening it. It returns the name below the reach with
// all links resolved. If there is none, the error is fs.ErrNotExist.
func (r reach) find(name string) (string, fs.FileInfo, error) {
	if r.forbidden == nil {
		info, err := r.root.Lstat(name)
		if absent(err) {
			return "", nil, fs.ErrNotExist
		}
		if err == nil && info.Mode()&fs.ModeSymlink == 0 {
			return name, info, nil
		}
	}
	return r.resolve(name)
}

// absent reports the error that there is no such file.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// resolve walks a name step by step. A link may lead anywhere below the reach, also
// by an absolute path, as dotfile managers make them.
func (r reach) resolve(name string) (string, fs.FileInfo, error) {
	w := walk{reach: r, at: ".", rest: strings.Split(name, "/")}
	for len(w.rest) > 0 {
		if err := w.step(); err != nil {
			return "", nil, err
		}
	}
	if w.info == nil {
		return "", nil, errIrregular
	}
	return w.at, w.info, nil
}

// walk is a name that is being resolved. at is the resolved part, without links; info
// describes it, and is nil after a step back with "..". rest are the parts still to
// resolve.
type walk struct {
	reach
	at    string
	info  fs.FileInfo
	rest  []string
	links int
}

func (w *walk) step() error {
	step := w.rest[0]
	w.rest = w.rest[1:]
	switch {
	case step == "" || step == ".":
		return nil
	case step == ".." && w.at == ".":
		return errOutside
	case step == "..":
		w.at, w.info = path.Dir(w.at), nil
		return nil
	}
	target, info, err := w.look(path.Join(w.at, step))
	if err != nil {
		return err
	}
	if target != "" {
		return w.follow(target)
	}
	w.at, w.info = path.Join(w.at, step), info
	return nil
}

// follow continues at the target of a link in the directory at.
func (w *walk) follow(target string) error {
	if w.links++; w.links > maxLinks {
		return errLinks
	}
	if strings.HasPrefix(target, "/") {
		below, err := filepath.Rel(w.dir, target)
		if err != nil || !filepath.IsLocal(below) {
			return errOutside
		}
		w.at, w.info, target = ".", nil, below
	}
	w.rest = append(strings.Split(target, "/"), w.rest...)
	return nil
}

// look reads one name whose folders are no links. It returns the target if it is a
// link, else what kind of file it is.
func (r reach) look(name string) (target string, info fs.FileInfo, err error) {
	if r.forbidden != nil && r.forbidden(filepath.Join(r.dir, name)) {
		return "", nil, errForbidden
	}
	info, err = r.root.Lstat(name)
	if absent(err) {
		return "", nil, fs.ErrNotExist
	}
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return "", info, err
	}
	target, err = r.root.Readlink(name)
	return target, nil, err
}

// stamp tells two states of a file apart.
type stamp struct {
	dev, ino uint64
	size     int64
	changed  int64 // nanoseconds since 1970
}

func stampOf(info fs.FileInfo) stamp {
	s := stamp{size: info.Size(), changed: info.ModTime().UnixNano()}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		s.dev, s.ino = uint64(stat.Dev), uint64(stat.Ino)
	}
	return s
}

// admit returns why a file is not read. Only a regular file of the user or of root is
// read, so a link to another user's file gains nothing. One of root's is read only
// with the user's rights.
func (r reach) admit(info fs.FileInfo) error {
	switch owner := ownerOf(info); {
	case !info.Mode().IsRegular():
		return errIrregular
	case owner != r.uid && (owner != 0 || r.alone):
		return errForeign
	case info.Size() > r.most:
		return r.tooLarge()
	}
	return nil
}

func (r reach) tooLarge() error { return fmt.Errorf("larger than %d KiB", r.most>>10) }

// read reads a file that find found, after checking the opened file again.
func (r reach) read(name string) ([]byte, stamp, error) {
	file, err := ownfile.OpenAdmitted(r.root, name, r.admit)
	if err != nil {
		return nil, stamp{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil {
		err = r.admit(info)
	}
	if err != nil {
		return nil, stamp{}, err
	}
	data, err := io.ReadAll(io.LimitReader(file, r.most+1))
	if err == nil && int64(len(data)) > r.most {
		err = r.tooLarge()
	}
	return data, stampOf(info), err
}

// list is the sorted names in a directory, at most limit of them.
func (r reach) list(name string, limit int) ([]string, error) {
	resolved, _, err := r.find(name)
	if err != nil {
		return nil, err
	}
	dir, err := r.root.OpenFile(resolved, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(limit)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	slices.Sort(names)
	return names, err
}

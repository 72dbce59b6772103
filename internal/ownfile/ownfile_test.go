package ownfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience is how long a read takes at most: only one that waits takes it.
const patience = time.Minute

// read reads a file, or fails the test where that waits for something.
func read(t *testing.T, path string, terms Terms) (string, error) {
	t.Helper()
	type answer struct {
		data []byte
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		data, err := Read(path, terms)
		answered <- answer{data, err}
	}()
	select {
	case a := <-answered:
		return string(a.data), a.err
	case <-time.After(patience):
		t.Fatalf("%s: reading it waits", path)
		return "", nil
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// shelf is a folder of files of the present user.
type shelf struct {
	t      *testing.T
	folder string
}

func (s shelf) file(name, text string, mode fs.FileMode) string {
	s.t.Helper()
	path := filepath.Join(s.folder, name)
	must(s.t, os.WriteFile(path, []byte(text), 0o600))
	must(s.t, os.Chmod(path, mode))
	return path
}

func (s shelf) fifo(name string) string {
	s.t.Helper()
	path := filepath.Join(s.folder, name)
	must(s.t, syscall.Mkfifo(path, 0o600))
	return path
}

func (s shelf) link(name, to string) string {
	s.t.Helper()
	path := filepath.Join(s.folder, name)
	must(s.t, os.Symlink(to, path))
	return path
}

// foreign gives what is there to another user, which only root can.
func (s shelf) foreign(path string) string {
	s.t.Helper()
	if os.Geteuid() != 0 || os.Lchown(path, 1000, 1000) != nil {
		s.t.Skip("files cannot be given to another user here")
	}
	return path
}

func TestWhatIsRead(t *testing.T) {
	s := shelf{t, t.TempDir()}
	own := Terms{Owner: os.Geteuid(), Most: 1 << 10}
	linked, anyone := own, own
	linked.Links = true
	anyone.Owner = Anyone
	private := s.file("private", "text", 0o600)
	for _, c := range []struct {
		name  string
		path  string
		terms Terms
	}{
		{"a file of one's own", private, own},
		{"a file that all may read", s.file("public", "text", 0o644), own},
		{"a file behind a link, where links are followed", s.link("link", private), linked},
		{"a file that all may write, where anyone may have written it", s.file("open", "text", 0o666), anyone},
	} {
		if text, err := read(t, c.path, c.terms); text != "text" || err != nil {
			t.Errorf("%s: %q, %v", c.name, text, err)
		}
	}
	full := s.file("full", strings.Repeat("x", 1<<10), 0o600)
	if text, err := read(t, full, own); len(text) != 1<<10 || err != nil {
		t.Errorf("a file as large as may be: %d bytes, %v", len(text), err)
	}
}

func TestWhatIsNotRead(t *testing.T) {
	s := shelf{t, t.TempDir()}
	own := Terms{Owner: os.Geteuid(), Most: 1 << 10}
	linked, anyone := own, own
	linked.Links = true
	anyone.Owner, anyone.Links = Anyone, true
	private, fifo := s.file("private", "text", 0o600), s.fifo("fifo")
	large := s.file("large", strings.Repeat("x", 1<<10+1), 0o600)
	for _, c := range []struct {
		name  string
		path  string
		terms Terms
		want  error
	}{
		{"nothing", filepath.Join(s.folder, "nothing"), own, fs.ErrNotExist},
		{"a link", s.link("link", private), own, ErrLink},
		{"a link to nothing", s.link("dangling", "nothing"), linked, fs.ErrNotExist},
		{"a FIFO", fifo, own, ErrIrregular},
		{"a FIFO that may be anyone's", fifo, anyone, ErrIrregular},
		{"a FIFO behind a link", s.link("tofifo", fifo), linked, ErrIrregular},
		{"a device behind a link", s.link("todevice", "/dev/zero"), anyone, ErrIrregular},
		{"a folder", s.folder, own, ErrIrregular},
		{"a folder behind a link", s.link("tofolder", s.folder), linked, ErrIrregular},
		{"a file that the group can write", s.file("group", "text", 0o660), own, ErrWritable},
		{"a file that all can write", s.file("open", "text", 0o602), own, ErrWritable},
	} {
		if text, err := read(t, c.path, c.terms); text != "" || !errors.Is(err, c.want) {
			t.Errorf("%s: %q, %v, want %v", c.name, text, err, c.want)
		}
	}
	if text, err := read(t, large, own); text != "" || err == nil || err.Error() != "it is larger than 1 KiB" {
		t.Errorf("a file that is too large: %d bytes, %v", len(text), err)
	}
}

func TestAFIFOThatTookTheFilesPlaceIsNotWaitedFor(t *testing.T) {
	s := shelf{t, t.TempDir()}
	fifo, err := os.OpenFile(s.fifo("fifo"), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	must(t, err)
	defer fifo.Close()
	if data, err := (Terms{Owner: Anyone, Most: 1}).read(fifo); data != nil || !errors.Is(err, ErrIrregular) {
		t.Errorf("%q, %v, want %v", data, err, ErrIrregular)
	}
}

func TestAFileThatGrowsIsNotReadInPart(t *testing.T) {
	// Files of /proc say that they have no size, as one does before it grows.
	if _, err := os.Stat("/proc/self/maps"); err != nil {
		t.Skip("needs /proc")
	}
	if text, err := read(t, "/proc/self/maps", Terms{Owner: Anyone, Most: 100}); text != "" || err == nil {
		t.Errorf("%q, %v, want it to be too large", text, err)
	}
}

func TestAnotherUsersFileIsTheirs(t *testing.T) {
	s := shelf{t, t.TempDir()}
	file := s.foreign(s.file("file", "text", 0o600))
	own := Terms{Owner: os.Geteuid(), Most: 1 << 10, Links: true}
	for name, path := range map[string]string{
		"a file": file, "a FIFO": s.foreign(s.fifo("fifo")), "a file behind one's own link": s.link("link", file),
	} {
		if text, err := read(t, path, own); text != "" || !errors.Is(err, ErrForeign) {
			t.Errorf("%s: %q, %v, want %v", name, text, err, ErrForeign)
		}
	}
	if text, err := read(t, file, Terms{Owner: 1000, Most: 1 << 10}); text != "text" || err != nil {
		t.Errorf("for its owner: %q, %v", text, err)
	}
}

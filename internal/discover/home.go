package discover

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/reaperd/reaperd/internal/ownfile"
)

// Home is the home directory of a user.
type Home struct {
	Dir string
	UID int
}

// Users finds the homes of this host's users. Several goroutines may ask it.
type Users struct {
	asker ownfile.Asker[string]
}

// NewUsers makes the finder. It reads nothing yet.
func NewUsers() *Users {
	return &Users{asker: ownfile.Asker[string]{Within: answerWithin, Most: maxSilent, Rest: silentFor}}
}

// Homes are the homes that reaperd may read, existing or not: all users' as root,
// else the own one. As root on Linux they are those in /etc/passwd and, for users of
// a directory service, those below /home; on macOS those below /Users; and that of the
// environment, if it is another. Homes that
// could be found are returned beside an error about others. Folders that do not
// answer are left out.
func (u *Users) Homes(ctx context.Context) ([]Home, error) {
	if os.Geteuid() != 0 {
		dir, err := os.UserHomeDir()
		if err != nil {
			return nil, fmt.Errorf("own home: %w", err)
		}
		return []Home{{dir, os.Geteuid()}}, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if runtime.GOOS == "darwin" {
		below, err := u.below("/Users", nil)
		return u.withOwn(distinct(append(below, Home{"/var/root", 0}))), err
	}
	homes, err := u.listed("/etc/passwd", "/home")
	return u.withOwn(homes), err
}

// withOwn adds the home that HOME names to those of a root reaperd, as its owner's.
func (u *Users) withOwn(homes []Home) []Home {
	dir, err := os.UserHomeDir()
	if dir = filepath.Clean(dir); err != nil || !filepath.IsAbs(dir) || dir == "/" ||
		slices.ContainsFunc(homes, func(h Home) bool { return h.Dir == dir }) {
		return homes
	}
	if info := u.look(dir); info != nil && info.IsDir() {
		return distinct(append(homes, Home{dir, ownerOf(info)}))
	}
	return homes
}

// look is what is at a path; nil if nothing is there, or no answer comes.
func (u *Users) look(path string) fs.FileInfo {
	info, _ := ownfile.Ask(&u.asker, ownfile.Question[string]{Of: path}, func() fs.FileInfo {
		info, _ := os.Lstat(path) // it may be gone already
		return info
	})
	return info
}

// listed are the homes in a list of users and below a folder.
func (u *Users) listed(passwd, folder string) ([]Home, error) {
	text, err := os.ReadFile(passwd)
	if err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("read users: %w", err)
	}
	known := parsePasswd(text)
	below, err := u.below(folder, known)
	return distinct(append(known, below...)), err
}

// parsePasswd reads the homes from /etc/passwd. It skips malformed lines, homes that
// are no path, and the root directory.
func parsePasswd(data []byte) []Home {
	var homes []Home
	for line := range strings.Lines(string(data)) {
		fields := strings.Split(strings.TrimRight(line, "\r\n"), ":")
		if len(fields) != 7 || strings.HasPrefix(line, "#") {
			continue
		}
		uid, err := strconv.ParseUint(fields[2], 10, 32)
		dir := filepath.Clean(fields[5])
		if err == nil && filepath.IsAbs(dir) && dir != "/" {
			homes = append(homes, Home{dir, int(uid)})
		}
	}
	return distinct(homes)
}

// below takes the directories in a folder as the homes of their owners, except for
// known ones.
func (u *Users) below(folder string, known []Home) ([]Home, error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("read homes: %w", err)
	}
	var homes []Home
	for _, entry := range entries {
		dir := filepath.Join(folder, entry.Name())
		if strings.HasPrefix(entry.Name(), ".") || entry.Name() == "Shared" ||
			slices.ContainsFunc(known, func(h Home) bool { return h.Dir == dir }) {
			continue
		}
		if info := u.look(dir); info != nil && info.IsDir() {
			homes = append(homes, Home{dir, ownerOf(info)})
		}
	}
	return homes, nil
}

// distinct sorts homes. If two users have one home, the first counts.
func distinct(homes []Home) []Home {
	slices.SortStableFunc(homes, func(a, b Home) int { return cmp.Compare(a.Dir, b.Dir) })
	return slices.CompactFunc(homes, func(a, b Home) bool { return a.Dir == b.Dir })
}

// ownerOf is a file's owner; -1 if the system does not tell.
func ownerOf(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}

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

	"github.com/reaperd/reaperd/internal/patience"
)

// Home is the home directory of a user.
type Home struct {
	Dir string
	UID int
}

// Users finds the homes of this host's users.
type Users struct{ asker patience.Asker[string] }

// NewUsers asks nothing yet.
func NewUsers() *Users {
	return &Users{asker: patience.Asker[string]{Within: answerWithin, Most: maxSilent, Rest: silentFor}}
}

// Homes are the homes reaperd may read, whether they are there or not: all users'
// as root, else the own one. As root on Linux they are those of /etc/passwd and,
// for users that a directory service knows, those below /home; on macOS those below
// /Users. Homes that could be told stand beside an error about others. What is
// below such a folder and does not answer is left out.
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
		return distinct(append(below, Home{"/var/root", 0})), err
	}
	passwd, err := os.ReadFile("/etc/passwd")
	if err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("read users: %w", err)
	}
	known := parsePasswd(passwd)
	below, err := u.below("/home", known)
	return distinct(append(known, below...)), err
}

// parsePasswd reads the homes from the text of /etc/passwd, skipping lines that
// are none, homes that are no path and the root directory.
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

// below takes the directories of a folder for the homes of their owners, but for
// those that are known.
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
		info, answered := patience.Ask(&u.asker, patience.Question[string]{Of: dir}, func() fs.FileInfo {
			info, _ := os.Lstat(dir) // what is gone again is no home
			return info
		})
		if answered && info != nil && info.IsDir() {
			homes = append(homes, Home{dir, ownerOf(info)})
		}
	}
	return homes, nil
}

// distinct sorts homes; of two users with one home the first user counts.
func distinct(homes []Home) []Home {
	slices.SortStableFunc(homes, func(a, b Home) int { return cmp.Compare(a.Dir, b.Dir) })
	return slices.CompactFunc(homes, func(a, b Home) bool { return a.Dir == b.Dir })
}

// ownerOf is the user a file belongs to; -1, nobody, where the system does not say.
func ownerOf(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}

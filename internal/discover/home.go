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
)

// Home is the home directory of a user.
type Home struct {
	Dir string
	UID int
}

// Homes are the homes reaperd may read: all users' as root, else the own one.
// As root on Linux they are those of /etc/passwd and, for users that a directory
// service knows, those below /home; on macOS those below /Users. Homes that could
// be told stand beside an error about others.
func Homes(ctx context.Context) ([]Home, error) {
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
		below, err := homesBelow("/Users")
		return distinct(append(below, Home{"/var/root", 0})), err
	}
	passwd, err := os.ReadFile("/etc/passwd")
	if err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("read users: %w", err)
	}
	below, err := homesBelow("/home")
	return distinct(slices.DeleteFunc(append(ParsePasswd(passwd), below...), missing)), err
}

// ParsePasswd reads the homes from the text of /etc/passwd, skipping lines that
// are none, homes that are no path and the root directory.
func ParsePasswd(data []byte) []Home {
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

// homesBelow takes the directories of a folder for the homes of their owners.
func homesBelow(folder string) ([]Home, error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("read homes: %w", err)
	}
	var homes []Home
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.IsDir() || strings.HasPrefix(entry.Name(), ".") || entry.Name() == "Shared" {
			continue
		}
		homes = append(homes, Home{filepath.Join(folder, entry.Name()), ownerOf(info)})
	}
	return homes, nil
}

// missing reports whether a home is not there, as those of many system accounts.
func missing(h Home) bool {
	info, err := os.Stat(h.Dir)
	return err != nil || !info.IsDir()
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

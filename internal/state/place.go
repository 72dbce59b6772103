package state

import (
	"fmt"
	"os"
	"path/filepath"
)

// Own is the state directory of this user: the one that REAPERD_STATE_DIR names,
// else root's, else the one below the home; below the folder for temporary files
// where there is no home.
func Own() Dir {
	if dir := os.Getenv("REAPERD_STATE_DIR"); filepath.IsAbs(dir) {
		return Dir(filepath.Clean(dir))
	}
	if os.Geteuid() == 0 {
		return "/var/lib/reaperd"
	}
	if dir := UserFolder("XDG_STATE_HOME", ".local/state"); dir != "" {
		return Dir(filepath.Join(dir, "reaperd"))
	}
	return Dir(filepath.Join(os.TempDir(), fmt.Sprintf("reaperd-%d", os.Getuid())))
}

// UserFolder is a base directory of the XDG specification, the same on every
// system: the variable where it is an absolute path, else the folder below the
// home; empty where there is no home.
func UserFolder(variable, below string) string {
	if dir := os.Getenv(variable); filepath.IsAbs(dir) {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil || home == "" {
		return ""
	}
	return filepath.Join(home, filepath.FromSlash(below))
}

// Socket is where the daemon of this directory answers.
func (d Dir) Socket() string { return d.path("reaperd.sock") }

package state

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/reaperd/reaperd/internal/human"
)

// placeVariable names a state directory.
const placeVariable = "REAPERD_STATE_DIR"

// CheckPlace refuses a variable that [Own] would have to ignore: a daemon and a tool that
// start in different folders would take a relative path for different directories.
func CheckPlace(lookup func(string) (string, bool)) error {
	if dir, _ := lookup(placeVariable); dir != "" && !filepath.IsAbs(dir) {
		return fmt.Errorf("%s=%q: want an absolute path", placeVariable, dir)
	}
	return nil
}

// Own is this user's state directory: REAPERD_STATE_DIR, else root's or the one below
// the home, else one below the folder for temporary files.
func Own() Dir {
	if dir := os.Getenv(placeVariable); filepath.IsAbs(dir) {
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

// UserFolder is a base directory of the XDG specification: the variable's value if it
// is an absolute path, else the folder below the home; "" without a home.
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

// Home is the home folder of whoever runs reaperd, as HOME has it; empty if there is none.
func Home() human.Home {
	home, _ := os.UserHomeDir()
	return human.Home(home)
}

// Socket is the path at which this directory's daemon answers.
func (d Dir) Socket() string { return d.path("reaperd.sock") }

// PinsPath is the file with the pins of this directory.
func (d Dir) PinsPath() string { return d.path(pinsFile) }

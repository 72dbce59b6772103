package state

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/ownfile"
)

// placeVariable names a state directory.
const placeVariable = "REAPERD_STATE_DIR"

// nowhere is the state directory of a user who has no place for one: nothing can be there.
const nowhere = "/dev/null/reaperd"

// CheckPlace refuses a variable that [Own] would have to ignore: a daemon and a tool that
// start in different folders would take a relative path for different directories. It
// refuses a user without any place of that user's own, too.
func CheckPlace(lookup func(string) (string, bool)) error {
	if dir, _ := lookup(placeVariable); dir != "" && !filepath.IsAbs(dir) {
		return fmt.Errorf("%s=%q: want an absolute path", placeVariable, dir)
	}
	if Own() == nowhere {
		return fmt.Errorf("HOME and XDG_RUNTIME_DIR name no folder for journal, pins and socket: set HOME, or %s to a folder of your own", placeVariable)
	}
	return nil
}

// Own is this user's state directory: REAPERD_STATE_DIR, else root's or the one below
// the home, else one in the user's runtime directory. A folder for temporary files is anybody's.
func Own() Dir {
	if dir := os.Getenv(placeVariable); filepath.IsAbs(dir) {
		return Dir(filepath.Clean(dir))
	}
	if os.Geteuid() == 0 {
		return "/var/lib/reaperd"
	}
	if dir := ownfile.UserFolder("XDG_STATE_HOME", ".local/state"); dir != "" {
		return Dir(filepath.Join(dir, "reaperd"))
	}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return Dir(filepath.Join(dir, "reaperd"))
	}
	return nowhere
}

// Home is the home folder of whoever runs reaperd, as HOME has it; empty if there is none.
func Home() human.Home {
	home, _ := os.UserHomeDir()
	return human.Home(home)
}

// socket is the name of a daemon's socket.
const socket = "reaperd.sock"

// isOwn reports the directory that this user has without naming one. A directory that was named is
// a world of its own, with a socket in it: no daemon of the host decides there.
func (d Dir) isOwn() bool { return os.Getenv(placeVariable) == "" && d == Own() }

// HostSocket is where root's daemon answers every user of the host; empty if this directory is a world
// of its own.
func (d Dir) HostSocket() string {
	if d.isOwn() {
		return hostSocket
	}
	return ""
}

// Beside is where root's daemon answers beside this directory of root's, a world of its own; empty for any other.
func (d Dir) Beside() string {
	if os.Geteuid() != 0 || d.isOwn() {
		return ""
	}
	return hostSocket
}

// Sockets are where a daemon that decides for this user may answer, in the order in which they are
// asked. The daemon of this directory binds the last that it can.
func (d Dir) Sockets() []string {
	switch {
	case !d.isOwn():
		return []string{d.path(socket)}
	case os.Geteuid() == 0:
		return []string{hostSocket}
	}
	places := []string{hostSocket}
	if runtime := runtimeFolder(); runtime != "" {
		places = append(places, filepath.Join(runtime, socket))
	}
	return append(places, d.path(socket))
}

// Socket is where this directory's daemon answers.
func (d Dir) Socket() string {
	places := d.Sockets()
	return places[min(1, len(places)-1)]
}

// runtimeFolder is this user's folder for sockets, which a session has; empty if there is none. A
// program outside a session, such as one of cron, does not know its name from the environment.
func runtimeFolder() string {
	folder := os.Getenv("XDG_RUNTIME_DIR")
	if !filepath.IsAbs(folder) {
		folder = fmt.Sprintf("/run/user/%d", os.Getuid())
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return ""
	}
	return folder
}

// SavedConfiguration is the file with what `reaperd discover` found.
func (d Dir) SavedConfiguration() string { return d.path("discovered.json") }

// PinsPath is the file with the pins of this directory.
func (d Dir) PinsPath() string { return d.path(pinsFile) }

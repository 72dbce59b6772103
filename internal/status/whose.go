package status

import (
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/serve"
)

// whose tells whose the sessions and things of a daemon are, to a reader with that home.
type whose struct {
	home    human.Home
	several bool           // users
	roots   *beside.Daemon // root's daemon, where a user's is told beside it
}

// whoseIn names users where the daemon sees things of several.
func whoseIn(is *serve.State, view View) whose {
	users := map[string]bool{}
	for _, client := range is.InUse {
		users[client.User] = true
	}
	for _, going := range slices.Concat(is.Due, is.Pending) {
		users[going.User] = true
	}
	for _, stay := range is.Stays {
		users[stay.User] = true
	}
	delete(users, "")
	w := whose{home: view.Home, several: len(users) > 1}
	if roots, runs := view.Beside.Of(0); runs {
		w.roots = &roots
	}
	return w
}

// of is " of user ann"; empty if that is not known, or if all is of one user.
func (w whose) of(user string) string {
	if !w.several || user == "" {
		return ""
	}
	return " of user " + user
}

// session is " in ~ann/src", with the user in front where the folder does not name that.
func (w whose) session(c serve.Client) string {
	folder := report.FolderOf(c.Cwd, c.User, w.home)
	switch {
	case folder == "":
		return w.of(c.User)
	case strings.HasPrefix(folder, "~"+c.User):
		return " in " + folder
	}
	return w.of(c.User) + " in " + folder
}

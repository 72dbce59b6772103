package overview

import (
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/redact"
)

// PlusMeans says what "+" behind an idle time means.
const PlusMeans = "since it was first looked at, and maybe for longer"

// Stranger says of a live owner that it is no client of the catalogue.
const Stranger = "no known client, but it lives"

// PlaceOf tells where a process of a user runs: its folder, as [FolderOf] writes it. If the folder is unknown
// and the user is not the reader, it is "of user ann".
func PlaceOf(path, user string, home human.Home) string {
	if path == "" && user != "" && !home.IsUsualOf(user) {
		return "of user " + human.Safe(user)
	}
	return FolderOf(path, user, home)
}

// FolderOf returns a user's folder for people, homes as "~"; empty if it is unknown.
func FolderOf(path, user string, home human.Home) string {
	return home.Short(human.Safe(redact.Text(path)), user)
}

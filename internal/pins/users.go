package pins

import (
	"fmt"
	"slices"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/neighbours"
	"github.com/reaperd/reaperd/internal/state"
)

// UserPins are the pins of another user that hold for root too: those of the user's own processes.
type UserPins struct {
	User string `json:"user"` // by name; the number if none is known
	UID  int    `json:"uid"`
	Pins int    `json:"pins"`
	// Containers are the words for the user's pins of containers, which do not hold for root.
	Containers []string `json:"containers,omitempty"`
	// Unread is why they are not known: all that the user runs is kept then.
	Unread string `json:"unread,omitempty"`
}

// ofUsers counts the pins of each user that keep something which runs, and names those of containers that
// are there and not among the own pins.
func (n *present) ofUsers(all []neighbours.Pinned, own []state.Pin) []UserPins {
	var users []UserPins
	for _, one := range all {
		user := UserPins{User: state.UserName(one.UID), UID: one.UID}
		if one.Err != nil {
			user.Unread = one.Err.Error()
		}
		for _, pin := range one.Pins {
			switch {
			case n.holdsFor(one.UID, pin):
				user.Pins++
			case !isProcess(pin) && !n.line(pin).gone && !slices.ContainsFunc(own, func(o state.Pin) bool { return o.ID == pin.ID }):
				user.Containers = append(user.Containers, Handle(&pin))
			}
		}
		if user.Pins > 0 || len(user.Containers) > 0 || user.Unread != "" {
			users = append(users, user)
		}
	}
	return users
}

// holdsFor reports that a pin of a user is one of that user's processes.
func (n *present) holdsFor(uid int, pin state.Pin) bool {
	return isProcess(pin) && slices.ContainsFunc(partsOf(pin), func(id string) bool {
		of, runs := n.users[id]
		return runs && of == uid
	})
}

// note is what root's list of pins adds about those of a user.
func (u UserPins) note() string {
	who, lists := human.Safe(u.User), human.AsUser(u.User, "reaperd pins")
	if u.Unread != "" {
		return fmt.Sprintf("note: what %s has pinned cannot be read, so all that %s runs is kept: %s", who, who, human.Safe(u.Unread))
	}
	if u.Pins == 0 {
		return fmt.Sprintf("note: %s has pinned %s, which does not hold for root: reaperd pin %s", who, u.containers(), human.Shell(u.Containers...))
	}
	text := fmt.Sprintf("note: %s has %s that %s here too", who, human.Count(u.Pins, "pin"), human.Verb(u.Pins, "holds", "hold"))
	if len(u.Containers) > 0 {
		text += ", but not " + human.Verb(len(u.Containers), "that", "those") + " of " + u.containers()
	}
	return text + ": " + lists
}

// containers names the first of the containers.
func (u UserPins) containers() string {
	return human.Plural(len(u.Containers), "container") + " " + human.Safe(human.List(fewest(u.Containers)))
}

// Nothing is the answer where a user has pinned nothing.
func Nothing(users []UserPins) string {
	if len(users) > 0 {
		return "Root has pinned nothing."
	}
	return "Nothing is pinned."
}

// mostUsers is how many users' pins root's list tells of.
const mostUsers = 8

// UserNotes tell root which users' pins hold here too.
func UserNotes(users []UserPins) []string {
	var notes []string
	for i, user := range users {
		if i == mostUsers {
			return append(notes, fmt.Sprintf("note: %s have pins that hold here", human.Count(len(users)-i, "more user")))
		}
		notes = append(notes, user.note())
	}
	return notes
}

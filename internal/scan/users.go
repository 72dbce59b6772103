package scan

import (
	"os/user"
	"strconv"
)

// users has the names of the users that were looked up, by number.
type users map[int]string

// name is the name of a user, "" if the system knows none.
func (u users) name(uid int) string {
	name, ok := u[uid]
	if !ok {
		if known, err := user.LookupId(strconv.Itoa(uid)); err == nil {
			name = known.Username
		}
		u[uid] = name
	}
	return name
}

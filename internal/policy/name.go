package policy

import "strings"

// MatchesName reports whether a glob matches a name. Names have no case. What is no
// valid glob is a name.
func MatchesName(glob, name string) bool {
	return name != "" && strings.EqualFold(glob, name) || anyName([]string{glob}, name)
}

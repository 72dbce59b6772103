package policy

import "strings"

// MatchesName reports that a glob on a command line names a target. Names ignore
// case.
func MatchesName(glob, name string) bool {
	return name != "" && strings.EqualFold(glob, name) || anyName([]string{glob}, name)
}

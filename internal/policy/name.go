package policy

// MatchesName reports whether a glob of a command line means a target of that
// name. Names have no case.
func MatchesName(glob, name string) bool { return anyName([]string{glob}, name) }

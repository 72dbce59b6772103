package report

// Folder writes a user's path with the home folder as ~.
func Folder(path, user string) string { return tilde(path, homeOf(user)) }

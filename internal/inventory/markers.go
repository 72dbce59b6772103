package inventory

// Markers are the only environment variables whose values are read. They name an
// owner or a wish (OPENCODE_PID, REAPERD_OWNER, REAPERD_KEEP), or the kind of program
// that started the process (the others). None is meant to hold a secret, but somebody
// may put one there.
func Markers() []string {
	return []string{
		"CODEX_MANAGED_BY_NPM",
		"GEMINI_CLI",
		"OPENCLAW_SERVICE_MARKER",
		"OPENCODE_PID",
		"REAPERD_KEEP",
		"REAPERD_OWNER",
		"TOOLHIVE_DETACHED",
	}
}

package inventory

// Markers are the only names whose values are taken from an environment. They
// name an owner or a wish (OPENCODE_PID, REAPERD_OWNER, REAPERD_KEEP), or say
// what kind of program started it (the others). None of them is a
// secret, but somebody may put one there.
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

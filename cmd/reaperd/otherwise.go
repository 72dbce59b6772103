package main

// otherWords are the words that other tools use for our commands, by command.
func otherWords() map[string][]string {
	return map[string][]string{
		"scan":         {"list", "ls", "ps", "check", "audit", "find", "show"},
		"top":          {"watch", "monitor", "tui"},
		"page":         {"ui", "web", "gui", "dashboard"},
		"doctor":       {"self-test", "selftest"},
		"wrap":         {"unwrap", "undo"},
		"sweep":        {"kill", "stop", "clean", "cleanup", "reap", "prune", "purge", "rm", "remove", "gc"},
		"history":      {"log", "logs", "journal", "stats"},
		"run":          {"start", "daemon", "serve"},
		"install":      {"init", "setup", "enable", "start"},
		"uninstall":    {"remove", "disable"},
		"explain":      {"why", "inspect", "describe"},
		"pin":          {"keep", "protect"},
		"pause":        {"stop", "suspend"},
		"resume":       {"unpause", "continue"},
		"policy":       {"policies", "config", "rules", "validate", "lint"},
		"policy check": {"validate", "lint", "test", "verify"},
	}
}

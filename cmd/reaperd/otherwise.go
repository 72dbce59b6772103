package main

import "github.com/reaperd/reaperd/internal/cli"

// otherWords are the words that other tools use for our commands, by command.
func otherWords() map[string][]string {
	return map[string][]string{
		"scan":               {"list", "ls", "ps", "check", "audit", "find", "show"},
		"top":                {"watch", "monitor", "tui"},
		"page":               {"ui", "web", "gui", "dashboard"},
		"doctor --self-test": {"self-test", "selftest"},
		"wrap --undo":        {"unwrap", "undo"},
		"sweep":              {"kill", "stop", "clean", "cleanup", "reap", "prune", "purge", "rm", "remove", "gc"},
		"history":            {"log", "logs", "journal", "stats"},
		"run":                {"start", "daemon", "serve"},
		"install":            {"init", "setup", "enable", "start"},
		"uninstall":          {"remove", "disable"},
		"explain":            {"why", "inspect", "describe"},
		"pin":                {"keep", "protect"},
		"pause":              {"stop", "suspend"},
		"resume":             {"unpause", "continue"},
		"policy":             {"policies", "config", "rules", "validate", "lint"},
		"policy check":       {"validate", "lint", "test", "verify"},
	}
}

// otherFlags are the flags of other tools, by command, with what to type in their place. Those
// for formats, such as --json, are known of every command.
func otherFlags() map[string]map[string]cli.Instead {
	newest := cli.Instead{Words: "--newest", Value: "20"}
	live := cli.Instead{Command: "top"}
	return map[string]map[string]cli.Instead{
		"scan":     {"--watch": live, "-w": live, "--follow": live, "-f": live, "--live": live},
		"status":   {"--watch": live, "-w": live, "--follow": live, "-f": live},
		"sweep":    {"--force": {Words: "--yes"}, "-f": {Words: "--yes"}},
		"history":  {"--limit": newest, "--lines": newest, "--tail": newest, "--last": newest},
		"snapshot": {"--out": {Value: "FILE"}, "--file": {Value: "FILE"}},
		"pause":    {"--for": {Value: "2h"}, "--duration": {Value: "2h"}},
	}
}

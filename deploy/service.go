package deploy

import (
	_ "embed"
	"path/filepath"
	"strings"
)

// UnitName is the name of both systemd units.
const UnitName = "reaperd.service"

// Label is the name of the launchd job.
const Label = "io.github.reaperd"

// Written is the line by which a file shows that `reaperd install` wrote it.
const Written = "Written by reaperd install; reaperd uninstall removes it."

// packagedBinary is where the units of a package find the program.
const packagedBinary = "/usr/bin/reaperd"

//go:embed systemd/system/reaperd.service
var systemUnit string

//go:embed systemd/user/reaperd.service
var userUnit string

//go:embed launchd/io.github.reaperd.plist
var job string

// What stands in the plist for the places of one machine.
const (
	jobBinary = "/usr/local/bin/reaperd"
	jobHome   = "/Users/NAME"
)

// SystemUnit is the systemd unit of a whole host, for a program at that path.
func SystemUnit(binary string) string { return unit(systemUnit, binary) }

// UserUnit is the systemd unit of one user, for a program at that path.
func UserUnit(binary string) string { return unit(userUnit, binary) }

func unit(text, binary string) string {
	return strings.ReplaceAll(text, "\nExecStart="+packagedBinary+" ", "\nExecStart="+unitWord(binary)+" ")
}

// unitWord quotes a path for ExecStart, where systemd expands "%" and where a
// blank ends a word. A "$" is not expanded in the first word.
func unitWord(path string) string {
	path = strings.ReplaceAll(path, "%", "%%")
	if !strings.ContainsAny(path, " \t'\"\\;") {
		return path
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
}

// LaunchAgent is the launchd job of one user, for a program at that path and
// the user's home.
func LaunchAgent(binary, home string) string {
	return strings.NewReplacer(jobBinary, xmlText(binary), jobHome, xmlText(filepath.Clean(home))).Replace(job)
}

// LaunchDaemon is the launchd job of a whole host: root's, without a home.
func LaunchDaemon(binary string) string {
	return strings.NewReplacer(jobBinary, xmlText(binary), jobHome+"/Library/Logs", "/Library/Logs", jobHome, "/var/root").Replace(job)
}

// xmlText is a text between the tags of a plist. Package encoding/xml would do the same
// and bring its parser into every reaperd.
func xmlText(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(strings.ToValidUTF8(text, "\uFFFD"))
}

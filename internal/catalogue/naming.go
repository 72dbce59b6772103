package catalogue

import (
	"cmp"
	"path"

	"github.com/reaperd/reaperd/internal/cmdline"
)

// commandName is a name for the program as people would call it; "" if nothing gives
// one. cwd names a task of a package manager, and a script in the current folder.
func commandName(c *cmdline.Command, cwd string) string {
	switch {
	case len(c.Argv) == 0 && c.Task && isTelling(cwd):
		return path.Base(cmdline.Slashed(cwd))
	case len(c.Argv) == 0:
		return c.Launcher
	case c.Package != "":
		return cmdline.PackageName(c.Package)
	case c.Module:
		return cmdline.ModuleName(c.Argv[0])
	}
	if line, ok := cmdline.ReadContainer(c.Argv); ok {
		return cmp.Or(line.Labels[labelName], cmdline.ImageBase(line.Image), line.Container, line.Program)
	}
	if name := pathName(c); name != "" {
		return name
	}
	if c.Script && isTelling(cwd) && !path.IsAbs(cmdline.Slashed(c.Argv[0])) {
		return path.Base(cmdline.Slashed(cwd))
	}
	return cmdline.ProgramName(c.Argv[0])
}

func isTelling(folder string) bool { return folder != "" && folder != "/" }

// pathName is the name in the program's path; "" if any project could have all of its
// parts.
func pathName(c *cmdline.Command) string {
	file := c.File()
	if c.Script {
		return cmdline.ScriptName(file)
	}
	// /opt/foo-mcp/bin/server is foo-mcp, /usr/local/bin/mcp-server itself.
	name := cmdline.ProgramName(file)
	if nameGrade(name, true) == noServer && cmdline.IsGenericFile(name) && path.IsAbs(file) && pathGrade(file, false) > noServer {
		return cmdline.ScriptName(file)
	}
	return name
}

package cmdline

import (
	"path"
	"strings"
)

// Slashed is a path with forward slashes only.
func Slashed(file string) string { return strings.ReplaceAll(file, `\`, "/") }

// ProgramName is a program's base name for comparison: lower case, without .exe or
// .cmd, and without the dash of a login shell.
func ProgramName(program string) string {
	name := strings.ToLower(path.Base(Slashed(program)))
	if name == "." || name == "/" {
		return ""
	}
	for _, ending := range []string{".exe", ".cmd", ".bat"} {
		name = strings.TrimSuffix(name, ending)
	}
	return strings.TrimPrefix(name, "-")
}

// endings are those of scripts, archives and programs of Windows.
var endings = strings.Fields(".js .mjs .cjs .ts .mts .cts .tsx .jsx .py .pyz .pyw .rb .php .phar .pl .lua .sh .bash .zsh .ps1 .jar .dll .exe .cmd .bat")

// FileStem is a file's base name without the ending of a script or archive.
func FileStem(file string) string {
	base := strings.ToLower(path.Base(Slashed(file)))
	for _, ending := range endings {
		if stem, ok := strings.CutSuffix(base, ending); ok && stem != "" {
			return stem
		}
	}
	return base
}

// IsRelativeFile reports an argument that is a file below the working directory: a
// script, or a path that is neither absolute nor a URL, an option or a scoped package.
func IsRelativeFile(arg string) bool {
	if strings.HasPrefix(arg, "/") || strings.HasPrefix(arg, "-") || strings.HasPrefix(arg, "@") || strings.Contains(arg, "://") {
		return false
	}
	return strings.Contains(arg, "/") || strings.HasSuffix(arg, ".js") || strings.HasSuffix(arg, ".mjs") ||
		strings.HasSuffix(arg, ".ts") || strings.HasSuffix(arg, ".py")
}

// InsidePackage splits a path below node_modules into the package, with its
// scope, and the rest.
func InsidePackage(file string) (pkg, rest string, ok bool) {
	const folder = "node_modules/"
	file = path.Clean(file)
	at := strings.LastIndex(file, folder)
	if at < 0 {
		return "", "", false
	}
	pkg, rest, _ = strings.Cut(file[at+len(folder):], "/")
	if strings.HasPrefix(pkg, "@") {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		pkg += "/" + name
	}
	return pkg, rest, rest != ""
}

// TellingFolder is the last folder with a specific name; empty if there is none, or
// if the system's folders come first.
func TellingFolder(folders []string) string {
	for i := len(folders) - 1; i >= 0; i-- {
		folder := strings.ToLower(folders[i])
		if folder == "" || folder == "." || folder == ".." || IsGenericFolder(folder) {
			continue
		}
		if systemFolders[folder] {
			return ""
		}
		return folder
	}
	return ""
}

// ScriptName is a name for the program at that path, as people would call it; empty
// if no part of the path is specific.
func ScriptName(file string) string {
	stem := FileStem(file)
	if stem == "npm-cli" || stem == "npx-cli" {
		return stem
	}
	if pkg, rest, ok := InsidePackage(file); ok {
		if pkg == ".bin" || pkg == "corepack" {
			return FileStem(rest)
		}
		return PackageName(pkg)
	}
	if stem != "mcp" && !IsGenericFile(stem) {
		return stem
	}
	parts := strings.Split(path.Clean(Slashed(file)), "/")
	if folder := TellingFolder(parts[:len(parts)-1]); folder != "" {
		return folder
	}
	if stem == "mcp" {
		return stem
	}
	return ""
}

// IsGenericFile recognises the stems of files that any project has.
func IsGenericFile(stem string) bool { return genericFiles[stem] }

// IsGenericFolder recognises the names of folders that any project has.
func IsGenericFolder(folder string) bool { return genericFolders[folder] }

var (
	genericFiles = WordsOf("index main server app cli stdio start run entry entrypoint serve launch launcher bin __main__ bundle program " +
		"index.esm index.cjs mcp-server mcp_server")
	genericFolders = WordsOf("dist build src lib out bin .bin cli cjs esm js target release debug server app current dist-cjs dist-esm stdio " +
		"resources contents macos output python node main")
	// systemFolders hold programs of many kinds.
	systemFolders = WordsOf("usr local opt var tmp private home users root etc snap venv .venv homebrew sbin")
)

// ModuleName is the last specific part of a dotted name; a bare mcp is joined with
// the part before it.
func ModuleName(module string) string {
	parts := strings.Split(strings.ToLower(module), ".")
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i] == "mcp_server" || !IsGenericFile(parts[i]) && !IsGenericFolder(parts[i]) {
			return parts[i]
		}
	}
	return strings.ToLower(module)
}

// PackageName is a package's name without scope and version. A name such as mcp or
// server gets its scope in front.
func PackageName(spec string) string {
	scope, base := SplitPackage(spec)
	switch base {
	case "mcp", "mcp-server", "server", "cli":
		if scope != "" {
			return scope + "-" + base
		}
	}
	return base
}

// packageBin is the most likely program of a package.
func packageBin(spec string) string {
	_, base := SplitPackage(spec)
	return base
}

// SplitPackage splits a package as npm, uv and similar programs write it:
// @scope/name@1.0, name[extra]==1.0, git+https://host/owner/name.git@ref, ./name.
func SplitPackage(spec string) (scope, base string) {
	spec = strings.ToLower(Slashed(spec))
	spec = strings.TrimPrefix(strings.TrimPrefix(spec, "npm:"), "jsr:")
	if strings.Contains(spec, "://") || strings.HasPrefix(spec, "git@") || strings.HasPrefix(spec, "github:") {
		return "", repositoryName(spec)
	}
	if rest, ok := strings.CutPrefix(spec, "@"); ok {
		var found bool
		if scope, spec, found = strings.Cut(rest, "/"); !found {
			return "", scope
		}
	}
	if at := strings.IndexAny(spec, "@=<>~![ ;"); at > 0 {
		spec = spec[:at]
	}
	return scope, path.Base(strings.TrimSuffix(spec, "/"))
}

func repositoryName(url string) string {
	url, _, _ = strings.Cut(url, "#")
	name := url[strings.LastIndex(url, "/")+1:]
	name, _, _ = strings.Cut(name, "@")
	return strings.TrimSuffix(name, ".git")
}

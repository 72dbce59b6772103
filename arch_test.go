package reaperd

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/build"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// arrows says which packages of ours each package may import. An arrow that is
// not here is a decision to be made, not a line to be added.
var arrows = map[string][]string{
	"human":         {},
	"inventory":     {},
	"cmdline":       {},
	"redact":        {"inventory"},
	"ownfile":       {},
	"procstat":      {},
	"journal":       {"human", "ownfile"},
	"graph":         {"cmdline", "human", "inventory"},
	"catalogue":     {"catalogue/browser", "cmdline", "inventory"},
	"policy":        {"graph", "human", "inventory"},
	"reap":          {"human", "inventory", "journal"},
	"sweep":         {"graph", "human", "inventory", "journal", "policy", "reap", "redact"},
	"scan":          {"cmdline", "darwin", "inventory", "ownfile", "procstat"},
	"docker":        {"cmdline", "human", "inventory", "ownfile", "procstat"},
	"discover":      {"catalogue", "cmdline", "human", "inventory", "ownfile", "redact"},
	"state":         {"graph", "human", "inventory", "ownfile", "procstat", "redact"},
	"account":       {"graph", "human", "inventory", "journal", "policy", "redact"},
	"screen":        {"account", "graph", "human", "inventory", "journal", "policy"},
	"serve":         {"account", "graph", "human", "inventory", "journal", "ownfile", "policy", "state"},
	"darwin":        {},
	"demo":          {"human", "inventory", "policyfile", "scan", "supervise"},
	"supervise":     {"catalogue/browser", "procstat"},
	"supervise/tie": {"catalogue", "cmdline", "inventory", "supervise"},
	"wrap":          {"discover", "human", "ownfile", "state"},
	"host":          {"catalogue", "discover", "docker", "graph", "human", "inventory", "policy", "reap", "scan"},
	"policyfile":    {"human", "ownfile", "policy"},
	"cli":           {"human"},
	"doctor":        {"account", "discover", "docker", "graph", "host", "human", "install", "inventory", "journal", "policy", "policyfile", "reap", "scan", "serve", "state", "sweep"},
	"install":       {"human", "journal", "policy", "policyfile", "state", "wrap"},
	"daemon":        {"account", "catalogue", "docker", "graph", "host", "human", "inventory", "journal", "policy", "policyfile", "reap", "scan", "serve", "state", "sweep"},
	"top":           {"account", "human", "screen"},

	"catalogue/browser": {},
}

// guarded are the libraries that the packages named alone may use, so that a
// successor is a change in one place.
var guarded = map[string]string{
	"github.com/docker/docker":               "docker",
	"github.com/shirou/gopsutil/v3/process":  "scan",
	"github.com/shirou/gopsutil/v3/mem":      "scan",
	"github.com/robfig/cron/v3":              "policy",
	"github.com/ebitengine/purego":           "darwin",
	"github.com/prometheus/client_golang":    "serve",
	"github.com/coreos/go-systemd/v22/dbus":  "scan",
	"github.com/pelletier/go-toml/v2":        "discover",
	"github.com/modelcontextprotocol/go-sdk": "serve",
	"github.com/gdamore/tcell/v3":            "top",
}

// pure are the packages that decide: they reach neither the host nor the clock.
var pure = []string{"human", "inventory", "procstat", "catalogue/browser", "cmdline", "redact", "graph", "catalogue", "policy", "account", "screen"}

// ours is what `go list` says about one package of the module.
type ours struct {
	ImportPath string
	Dir        string
	Imports    []string
	GoFiles    []string
}

const (
	module   = "github.com/reaperd/reaperd/"
	internal = module + "internal/"
)

func (p ours) name() string { return strings.TrimPrefix(p.ImportPath, internal) }

func packages(t *testing.T) []ours {
	t.Helper()
	return listed(t, "./internal/...")
}

func listed(t *testing.T, patterns ...string) []ours {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Imports,GoFiles"}, patterns...)...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var found []ours
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p ours
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return found
		} else if err != nil {
			t.Fatal(err)
		}
		found = append(found, p)
	}
}

func TestPackagesImportOnlyAlongTheArrows(t *testing.T) {
	for _, p := range packages(t) {
		allowed, known := arrows[p.name()]
		if !known {
			t.Errorf("package %s stands in no arrow: say what it may import", p.name())
			continue
		}
		for _, path := range p.Imports {
			if name, found := strings.CutPrefix(path, internal); found && !slices.Contains(allowed, name) {
				t.Errorf("%s imports %s, which no arrow allows", p.name(), name)
			}
			for library, owners := range guarded {
				if (path == library || strings.HasPrefix(path, library+"/")) && !slices.Contains(strings.Fields(owners), p.name()) {
					t.Errorf("%s imports %s, which stays behind %s", p.name(), path, owners)
				}
			}
		}
	}
}

// TestTheSupervisorImportsNoLibrary: what the supervisor imports is initialised
// before it, and each library of the daemon would cost every server's start.
func TestTheSupervisorImportsNoLibrary(t *testing.T) {
	dependencies, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./internal/supervise").Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(string(dependencies)); runtime.GOOS == "linux" && !slices.Equal(got, []string{internal + "catalogue/browser", internal + "procstat", internal + "supervise"}) {
		t.Errorf("the supervisor depends on %q", got)
	}
}

// What `make run` builds is small to download: its tag leaves the library of the
// terminal out, and what that needs.
func TestWithoutTopThereIsNoLibraryOfTheTerminal(t *testing.T) {
	deps := func(tags string) bool {
		out, err := exec.Command("go", "list", "-deps", "-tags="+tags, "./cmd/reaperd").Output()
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(out, []byte("github.com/gdamore/"))
	}
	if !deps("") {
		t.Error("top has another library: name it here")
	}
	if deps("notop") {
		t.Error("the tag notop does not leave out the library of the terminal")
	}
}

// TestNothingFindsMethodsByName: the linker leaves out the methods that nothing calls.
// Where a program may look up a method by a name that it learns while it runs, the
// linker keeps every exported method of the whole program: reaperd was 3 MB larger.
// Templates look methods up so. cobra imports them too, which costs
// nothing as long as no template is executed; cobra executes those that it is given.
// "go build -ldflags=-dumpdep ./cmd/reaperd 2>&1 | grep ReflectMethod" shows who looks
// methods up, and prints nothing where nobody does.
func TestNothingFindsMethodsByName(t *testing.T) {
	finders := []string{"text/template", "html/template", "SetVersionTemplate", "SetUsageTemplate", "SetHelpTemplate", "MethodByName"}
	for _, p := range listed(t, "-deps", "./cmd/reaperd") {
		if !strings.HasPrefix(p.ImportPath, module) {
			continue
		}
		used := p.Imports
		for _, file := range p.GoFiles {
			used = append(used, selected(t, filepath.Join(p.Dir, file))...)
		}
		for _, name := range used {
			if slices.Contains(finders, name) {
				t.Errorf("%s uses %s", p.ImportPath, name)
			}
		}
	}
}

// selected are the names behind a dot in a file: fields, methods, and what other
// packages export.
func selected(t *testing.T, path string) []string {
	t.Helper()
	var names []string
	ast.Inspect(parsed(t, path), func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			names = append(names, selector.Sel.Name)
		}
		return true
	})
	return names
}

func TestWhatDecidesReachesNeitherHostNorClock(t *testing.T) {
	forbidden := []string{"os", "os/exec", "os/signal", "os/user", "net", "net/http", "syscall", "context", "log", "log/slog", "golang.org/x/sys/unix"}
	for _, p := range packages(t) {
		if !slices.Contains(pure, p.name()) {
			continue
		}
		for _, path := range p.Imports {
			if slices.Contains(forbidden, path) && !(p.name() == "account" && path == "context") { // of the interface that it names
				t.Errorf("%s imports %s", p.name(), path)
			}
		}
		for _, file := range p.GoFiles {
			clockUses(t, filepath.Join(p.Dir, file))
		}
	}
}

// clockUses reports every call that reads the clock or waits for it.
func clockUses(t *testing.T, path string) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	clock := []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick"}
	ast.Inspect(file, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if pkg, ok := selector.X.(*ast.Ident); ok && pkg.Name == "time" && slices.Contains(clock, selector.Sel.Name) {
			t.Errorf("%s: time.%s", set.Position(selector.Pos()), selector.Sel.Name)
		}
		return true
	})
}

func TestWhatDecidesIsBuiltEverywhere(t *testing.T) {
	for _, p := range packages(t) {
		if !slices.Contains(pure, p.name()) && p.name() != "discover" {
			continue
		}
		for _, path := range sources(t, p.Dir) {
			if isTagged(parsed(t, path), path) {
				t.Errorf("%s is built on some systems only", path)
			}
		}
	}
}

func TestParsersHaveNoBuildTags(t *testing.T) {
	for _, p := range listed(t, "./internal/...", "./cmd/...") {
		for _, path := range sources(t, p.Dir) {
			for _, name := range taggedParsers(parsed(t, path), path) {
				t.Errorf("%s: %s parses, and is built on some systems only: tag the call, never the parser", path, name)
			}
		}
	}
}

func TestATaggedParserIsFound(t *testing.T) {
	const plain, tagged = "package x\n", "// Words.\n\n//go:build linux || darwin\n\npackage x\n"
	for _, c := range []struct {
		name, path, text string
		want             []string
	}{
		{"on every system", "x.go", plain + "func parseStat() {}", nil},
		{"by the name of its file", "x_linux.go", plain + "func parseStat() {}", []string{"parseStat"}},
		{"by the name of a file for another system and processor", "x_darwin_arm64.go", plain + "func ParseStat() {}", []string{"ParseStat"}},
		{"by a tag", "x.go", tagged + "func parse() {}", []string{"parse"}},
		{"a method", "x_linux.go", plain + "func (r reader) parseLine() {}", []string{"parseLine"}},
		{"a function in a variable", "x_linux.go", plain + "var parseLine = func() {}", []string{"parseLine"}},
		{"a call of a parser", "x_linux.go", plain + "func read() { parseStat() }", nil},
		{"another word", "x_linux.go", plain + "func parsec() {}", nil},
		{"a comment behind the package", "x.go", plain + "//go:build linux\nfunc parse() {}", nil},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), c.path, c.text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if got := taggedParsers(file, c.path); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// sources are the files of a folder that are no tests, for whatever system.
func sources(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(all) == 0 {
		t.Fatalf("%s: no source, %v", dir, err)
	}
	return slices.DeleteFunc(all, func(path string) bool { return strings.HasSuffix(path, "_test.go") })
}

func parsed(t *testing.T, path string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// taggedParsers are the functions called parse… of a file that is not built
// everywhere.
func taggedParsers(file *ast.File, path string) []string {
	if !isTagged(file, path) {
		return nil
	}
	var names []string
	for _, declared := range file.Decls {
		for _, name := range declaredFunctions(declared) {
			if parserName.MatchString(name) {
				names = append(names, name)
			}
		}
	}
	return names
}

var parserName = regexp.MustCompile(`^[pP]arse(?:$|[^a-z])`)

// declaredFunctions are the names of functions that stand on their own.
func declaredFunctions(declared ast.Decl) []string {
	if function, ok := declared.(*ast.FuncDecl); ok {
		return []string{function.Name.Name}
	}
	var names []string
	ast.Inspect(declared, func(n ast.Node) bool {
		variable, ok := n.(*ast.ValueSpec)
		for i := 0; ok && i < len(variable.Values); i++ {
			if _, function := variable.Values[i].(*ast.FuncLit); function && len(variable.Names) == len(variable.Values) {
				names = append(names, variable.Names[i].Name)
			}
		}
		return !ok
	})
	return names
}

// isTagged reports whether a file is built on some systems only, by its name or
// by a line of its head.
func isTagged(file *ast.File, path string) bool {
	nowhere := build.Context{GOOS: "nowhere", GOARCH: "nothing", Compiler: "gc", OpenFile: func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("package x\n")), nil
	}}
	if anywhere, err := nowhere.MatchFile(".", filepath.Base(path)); err != nil || !anywhere {
		return true
	}
	for _, comments := range file.Comments {
		for _, comment := range comments.List {
			if comment.Pos() < file.Package && constraint.IsGoBuild(comment.Text) {
				return true
			}
		}
	}
	return false
}

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// source is one file that ships.
type source struct {
	path   string // below the top of the tree
	folder string // of its package, below the top of the tree
	text   []string
	syntax *ast.File
}

// house is what was measured of one tree.
type house struct {
	lines      map[string]int // code lines by package folder
	comments   int            // comment lines of all of them
	functions  []int          // the lines of each function
	long       []string       // files of more than 400 lines
	unused     []string       // exported names that no other package uses
	exported   int            // exported names of packages below internal/
	duplicated int            // lines that stand in two places, see duplicatedLines
	modules    int            // modules of the binary
	packages   int            // packages of the binary, the standard library's apart
	binary     int64          // bytes, linux/amd64, without symbols; zero was not built
	lean       int64          // the same without top
}

type figure struct{ name, value string }

// measure reads the tree at root.
func measure(root string, build bool) (house, error) {
	sources, err := readSources(root)
	if err != nil {
		return house{}, err
	}
	h := house{lines: map[string]int{}}
	for _, s := range sources {
		code, comments := countLines(s.text)
		h.lines[s.folder] += code
		h.comments += comments
		h.functions = append(h.functions, functionLengths(s)...)
		if len(s.text) > 400 {
			h.long = append(h.long, fmt.Sprintf("%s %d", s.path, len(s.text)))
		}
	}
	slices.Sort(h.functions)
	h.exported, h.unused = unusedNames(sources)
	h.duplicated = duplicatedLines(sources)
	if err := h.measureBuild(root, build); err != nil {
		return house{}, err
	}
	return h, nil
}

var fileSet = token.NewFileSet()

func readSources(root string) ([]source, error) {
	var sources []source
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, _ := filepath.Rel(root, path)
		if entry.IsDir() {
			if below == "test" || below == "hack" || entry.Name() == "testdata" || below != "." && strings.HasPrefix(entry.Name(), ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		s, err := readSource(path, below)
		sources = append(sources, s)
		return err
	})
	return sources, err
}

func readSource(path, below string) (source, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return source{}, err
	}
	syntax, err := parser.ParseFile(fileSet, path, text, parser.SkipObjectResolution)
	return source{
		path:   below,
		folder: filepath.Dir(below),
		text:   strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"),
		syntax: syntax,
	}, err
}

// countLines counts lines of code, and lines that begin with //.
func countLines(text []string) (code, comments int) {
	for _, line := range text {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case strings.HasPrefix(line, "//"):
			comments++
		default:
			code++
		}
	}
	return code, comments
}

// functionLengths are the lines of each function with a body, from its first
// line to its closing brace.
func functionLengths(s source) []int {
	var lengths []int
	for _, declaration := range s.syntax.Decls {
		if f, ok := declaration.(*ast.FuncDecl); ok && f.Body != nil {
			lengths = append(lengths, fileSet.Position(f.End()).Line-fileSet.Position(f.Pos()).Line+1)
		}
	}
	return lengths
}

// measureBuild asks the go command what the binary is made of, and how large it
// is when it is built as a release is.
func (h *house) measureBuild(root string, build bool) error {
	list := goCommand(root, "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}} {{with .Module}}{{.Path}}{{end}}{{end}}", "./cmd/reaperd")
	said, err := list.Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	modules := map[string]bool{}
	for line := range strings.Lines(string(said)) {
		if fields := strings.Fields(line); len(fields) == 2 {
			h.packages++
			modules[fields[1]] = true
		}
	}
	h.modules = len(modules)
	if !build {
		return nil
	}
	if h.binary, err = sizeOf(root, ""); err != nil {
		return err
	}
	h.lean, err = sizeOf(root, "notop") // a tag that an older tree does not know changes nothing
	return err
}

// sizeOf is the size in bytes of the program, built with some tags.
func sizeOf(root, tags string) (int64, error) {
	binary, err := filepath.Abs(filepath.Join(root, "bin", "house-measure"))
	if err != nil {
		return 0, err
	}
	defer os.Remove(binary)
	if said, err := goCommand(root, "build", "-trimpath", "-tags="+tags, "-ldflags=-s -w", "-o", binary, "./cmd/reaperd").CombinedOutput(); err != nil {
		return 0, fmt.Errorf("go build: %w: %s", err, said)
	}
	info, err := os.Stat(binary)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func goCommand(root string, arguments ...string) *exec.Cmd {
	command := exec.Command("go", arguments...)
	command.Dir = root
	command.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	return command
}

package reaperd

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// arrows says which packages of ours each package may import. An arrow that is
// not here is a decision to be made, not a line to be added.
var arrows = map[string][]string{
	"inventory": {},
	"dockercli": {},
	"redact":    {"inventory"},
	"ownfile":   {},
	"journal":   {},
	"graph":     {"dockercli", "inventory"},
	"catalogue": {"dockercli", "graph", "inventory"},
	"policy":    {"graph", "inventory"},
	"reap":      {"inventory", "journal"},
	"sweep":     {"graph", "inventory", "journal", "policy", "reap", "redact"},
	"scan":      {"inventory"},
	"docker":    {"inventory", "ownfile"},
	"discover":  {"inventory", "ownfile"},
	"exits":     {"inventory"},
	"state":     {"graph", "inventory", "ownfile"},
	"report":    {"graph", "inventory", "policy", "redact"},
	"serve":     {"graph", "inventory", "policy", "report"},
}

// guarded are the libraries that one package alone may use, so that a successor
// is a change in one place.
var guarded = map[string]string{
	"github.com/docker/docker":              "docker",
	"github.com/shirou/gopsutil/v3":         "scan",
	"github.com/robfig/cron/v3":             "policy",
	"github.com/prometheus/client_golang":   "serve",
	"github.com/DeRuina/timberjack":         "journal",
	"github.com/coreos/go-systemd/v22/dbus": "scan",
	"github.com/tailscale/hujson":           "discover",
	"github.com/titanous/json5":             "discover",
	"github.com/BurntSushi/toml":            "discover",
}

// pure are the packages that decide: they reach neither the host nor the clock.
var pure = []string{"inventory", "dockercli", "redact", "graph", "catalogue", "policy", "report"}

// ours is what `go list` says about one package of the module.
type ours struct {
	ImportPath     string
	Dir            string
	Imports        []string
	GoFiles        []string
	IgnoredGoFiles []string
}

const internal = "github.com/reaperd/reaperd/internal/"

func (p ours) name() string { return strings.TrimPrefix(p.ImportPath, internal) }

func packages(t *testing.T) []ours {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,Imports,GoFiles,IgnoredGoFiles", "./internal/...").Output()
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
			for library, owner := range guarded {
				if (path == library || strings.HasPrefix(path, library+"/")) && p.name() != owner {
					t.Errorf("%s imports %s, which stays behind %s", p.name(), path, owner)
				}
			}
		}
	}
}

func TestWhatDecidesReachesNeitherHostNorClock(t *testing.T) {
	forbidden := []string{"os", "os/exec", "os/signal", "os/user", "net", "net/http", "syscall", "context", "log", "log/slog", "golang.org/x/sys/unix"}
	for _, p := range packages(t) {
		if !slices.Contains(pure, p.name()) {
			continue
		}
		for _, path := range p.Imports {
			if slices.Contains(forbidden, path) {
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

func TestParsersHaveNoBuildTags(t *testing.T) {
	for _, p := range packages(t) {
		if !slices.Contains(pure, p.name()) && p.name() != "discover" {
			continue
		}
		if len(p.IgnoredGoFiles) > 0 {
			t.Errorf("%s: %v are built on some systems only", p.name(), p.IgnoredGoFiles)
		}
	}
}

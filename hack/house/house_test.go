package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// tree writes the files of a little house and returns its sources.
func tree(t *testing.T, files map[string]string) []source {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sources, err := readSources(root)
	if err != nil {
		t.Fatal(err)
	}
	return sources
}

func TestANameIsUsedOnlyByAnotherPackage(t *testing.T) {
	sources := tree(t, map[string]string{
		"internal/a/a.go":      "package a\n\nfunc Used() {}\n\nfunc Alone() { Used() }\n\ntype Kind int\n\nconst One Kind = 1\n",
		"internal/b/b.go":      "package b\n\nimport other \"github.com/reaperd/reaperd/internal/a\"\n\nfunc run() { other.Used(); _ = other.One }\n",
		"internal/b/b_test.go": "package b\n\nimport \"github.com/reaperd/reaperd/internal/a\"\n\nfunc test() { a.Alone() }\n",
	})
	exported, unused := unusedNames(sources)
	if want := []string{"internal/a.Alone", "internal/a.Kind"}; exported != 4 || !slices.Equal(unused, want) {
		t.Errorf("%d exported, unused %v; want 4 and %v", exported, unused, want)
	}
}

func TestARepeatedBlockIsFoundUnderOtherLiterals(t *testing.T) {
	block := func(text string) string {
		return "func f() {\n\tvalue := read(" + text + ", limit)\n\tif value == nil {\n\t\treturn fmt.Errorf(" + text +
			")\n\t}\n\tfor _, part := range value.parts {\n\t\tpart.print(os.Stdout, part.name)\n\t}\n}\n"
	}
	same := tree(t, map[string]string{"a/a.go": "package a\n\n" + block(`"one"`), "b/b.go": "package b\n\n" + block(`"two"`)})
	if got := duplicatedLines(same); got < 2*blockLines {
		t.Errorf("%d repeated lines, want at least %d", got, 2*blockLines)
	}
	other := tree(t, map[string]string{"a/a.go": "package a\n\n" + block(`"one"`), "b/b.go": "package b\n\nfunc g() {}\n"})
	if got := duplicatedLines(other); got != 0 {
		t.Errorf("%d repeated lines where nothing is repeated", got)
	}
}

func TestCommentsAndBlankLinesAreNoCode(t *testing.T) {
	code, comments := countLines([]string{"package a", "", "// f does.", "func f() {", "\t// why", "\tg() // what", "}"})
	if code != 4 || comments != 2 {
		t.Errorf("%d lines of code and %d of comments, want 4 and 2", code, comments)
	}
}

func TestASymbolIsOfItsModule(t *testing.T) {
	for symbol, want := range map[string]string{
		"main.run": "reaperd",
		"github.com/reaperd/reaperd/internal/graph.(*correlation).judge":   "reaperd",
		"go.yaml.in/yaml/v3.yaml_parser_fetch_value":                       "go.yaml.in/yaml",
		"google.golang.org/protobuf/internal/impl.fieldCoder":              "google.golang.org/protobuf",
		"github.com/docker/docker/client.(*Client).ContainerWait.func1":    "github.com/docker/docker",
		"slices.pdqsortCmpFunc[go.shape.struct { github.com/x/y.z int }]":  "Go: the rest",
		"crypto/tls.(*Conn).clientHandshake":                               "Go: crypto (TLS to an engine)",
		"vendor/golang.org/x/crypto/chacha20poly1305.chacha20Poly1305Open": "Go: crypto (TLS to an engine)",
		"vendor/golang.org/x/net/idna.idnaValues":                          "Go: net, net/http",
		"go:itab.*os.File,io.Reader":                                       "Go: the rest",
		"go:func.*":                                                        "",
	} {
		if got := originOf(symbol); got != want {
			t.Errorf("%s: %q, want %q", symbol, got, want)
		}
	}
}

// TestTheHouseOnlyShrinks holds the tree against the ratchet.
func TestTheHouseOnlyShrinks(t *testing.T) {
	now, err := marks("../..")
	if err != nil {
		t.Fatal(err)
	}
	held, err := readRatchet("ratchet.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range faults(now, held) {
		t.Error(fault)
	}
}

func TestTheRatchetFindsWhatGrew(t *testing.T) {
	held := map[string]int{"product": 1000, "tests": 1000, "rooms": 30}
	for _, row := range []struct {
		now  mark
		want int
	}{
		{mark{"product", 1000}, 0}, {mark{"product", 1001}, 1}, {mark{"product", 985}, 0},
		{mark{"product", 900}, 1}, {mark{"rooms", 31}, 1}, {mark{"floors", 6}, 1},
	} {
		if got := faults([]mark{row.now}, held); len(got) != row.want {
			t.Errorf("%v: %q, want %d faults", row.now, got, row.want)
		}
	}
}

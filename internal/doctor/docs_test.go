package doctor

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryLineIsDocumented looks for the check of every [Symptom] that this package writes,
// and of every source, in the table of docs/troubleshooting.md.
func TestEveryLineIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	named := []string{"right KILL", "right SYS_PTRACE", "right DAC_READ_SEARCH", "processes", "docker", "configuration"}
	for _, check := range checks(t) {
		if check != "self-test" && check != "right " { // the one has a page of its own, the other a row for each right
			named = append(named, check)
		}
	}
	for _, check := range named {
		if !regexp.MustCompile("(?m)^\\|.*`" + regexp.QuoteMeta(check)).Match(text) {
			t.Errorf("no row of docs/troubleshooting.md is about %q", check)
		}
	}
}

// checks returns the names of checks in this package's source.
func checks(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	literal := regexp.MustCompile(`Symptom\{+"([^":]+)`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range literal.FindAllStringSubmatch(string(source), -1) {
			names = append(names, found[1])
		}
	}
	if len(names) < 10 {
		t.Fatalf("only %q were found", names)
	}
	return names
}

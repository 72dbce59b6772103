package reaperd

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/policy"
)

// documents are all pages of documentation.
func documents(t *testing.T) map[string]string {
	t.Helper()
	var names []string
	for _, pattern := range []string{"*.md", "docs/*.md", "deploy/*.md", "deploy/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	pages := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pages[name] = string(text)
	}
	if len(pages) < 8 {
		t.Fatalf("only %d pages were found", len(pages))
	}
	return pages
}

var (
	link     = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	yamlCode = regexp.MustCompile("(?s)```yaml\n(.*?)```")
)

func TestLinksOfTheDocumentationLead(t *testing.T) {
	for name, text := range documents(t) {
		for _, found := range link.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), found[1])); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestPoliciesOfTheDocumentationLoad reads every example of a policy.
func TestPoliciesOfTheDocumentationLoad(t *testing.T) {
	builtin := policy.File{Name: policy.Builtin, Data: DefaultPolicy()}
	read := 0
	for name, text := range documents(t) {
		for _, found := range yamlCode.FindAllStringSubmatch(text, -1) {
			if !strings.HasPrefix(found[1], "version: 1\n") {
				continue
			}
			read++
			if _, err := policy.Load(policy.File{Name: name, Data: []byte(found[1])}, builtin); err != nil {
				t.Errorf("%s: %v\n%s", name, err, found[1])
			}
		}
	}
	if read < 10 {
		t.Errorf("only %d examples were found", read)
	}
}

var (
	testName   = regexp.MustCompile(`\b(Test[A-Z]\w*)(…?)`)
	testFunc   = regexp.MustCompile(`(?m)^func (Test[A-Z]\w*)\(`)
	makeTarget = regexp.MustCompile("(?m)(?:^ *|`|&& )make ([a-z][a-z-]*)")
)

// TestTestsThatTheDocumentationNamesExist keeps a figure from naming a test that nobody
// can run.
func TestTestsThatTheDocumentationNamesExist(t *testing.T) {
	var there []string
	err := filepath.WalkDir(".", func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range testFunc.FindAllStringSubmatch(string(text), -1) {
			there = append(there, found[1])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for name, text := range documents(t) {
		for _, found := range testName.FindAllStringSubmatch(text, -1) {
			read++
			is := func(function string) bool {
				return function == found[1] || found[2] != "" && strings.HasPrefix(function, found[1])
			}
			if !slices.ContainsFunc(there, is) {
				t.Errorf("%s names %s, and there is no such test", name, found[0])
			}
		}
	}
	if read < 50 {
		t.Errorf("only %d names were found", read)
	}
}

// TestTargetsThatTheDocumentationNamesExist looks for them in the Makefile and what it
// includes.
func TestTargetsThatTheDocumentationNamesExist(t *testing.T) {
	var rules strings.Builder
	for _, file := range []string{"Makefile", "deploy/targets.mk", "test/targets.mk", "test/daemon/targets.mk"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rules.Write(text)
	}
	read := 0
	for name, text := range documents(t) {
		for _, found := range makeTarget.FindAllStringSubmatch(text, -1) {
			read++
			if !strings.Contains("\n"+rules.String(), "\n"+found[1]+":") {
				t.Errorf("%s names make %s, and there is no such target", name, found[1])
			}
		}
	}
	if read < 10 {
		t.Errorf("only %d targets were found", read)
	}
}

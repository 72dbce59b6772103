package reaperd

import (
	"os"
	"path/filepath"
	"regexp"
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

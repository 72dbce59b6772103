package reaperd

import (
	"os"
	"strings"
	"testing"
)

// TestContributingQuotesTheRule: what CONTRIBUTING says of the rule is what its
// one file says.
func TestContributingQuotesTheRule(t *testing.T) {
	source, err := os.ReadFile("internal/graph/rule.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rule, found := strings.Cut(string(source), "// This file is the rule: whose a server is, and when it is nobody's.\n//\n")
	rule, _, ended := strings.Cut(rule, "\n\n")
	if !found || !ended {
		t.Fatal("internal/graph/rule.go does not begin with the rule")
	}
	words := strings.Join(strings.Fields(strings.ReplaceAll(rule, "//", "")), " ")
	if !strings.Contains(strings.Join(strings.Fields(string(page)), " "), words) {
		t.Errorf("CONTRIBUTING.md does not quote the rule:\n%s", words)
	}
}

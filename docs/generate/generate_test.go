package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheTablesAreWhatTheCodeSays fails after a change of a key or a metric, until
// the tables are generated anew.
func TestTheTablesAreWhatTheCodeSays(t *testing.T) {
	for file, text := range tables() {
		document, err := os.ReadFile(filepath.Join("../..", file))
		if err != nil {
			t.Fatal(err)
		}
		want, err := put(string(document), text)
		if err != nil {
			t.Fatal(err)
		}
		if want != string(document) {
			t.Errorf("%s is out of date: go run ./docs/generate", file)
		}
		if strings.Count(text, "\n| `") < 10 {
			t.Errorf("%s would have hardly a row:\n%s", file, text)
		}
	}
}

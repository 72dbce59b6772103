package logline

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A sentence whose message the daemon no longer writes would never be shown, and the
// record would come out as bare attributes.
func TestEverySentenceIsForAMessageOfTheDaemon(t *testing.T) {
	files, err := filepath.Glob("../daemon/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("the sources of the daemon: %v, %v", files, err)
	}
	var source strings.Builder
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(text)
	}
	for message := range sentences() {
		if !strings.Contains(source.String(), strconv.Quote(message)) {
			t.Errorf("no source of the daemon has the message %q", message)
		}
	}
}

package main

import (
	"os"
	"strings"
	"testing"
)

// TestTheManPageNamesEveryCommand compares the page with the program.
func TestTheManPageNamesEveryCommand(t *testing.T) {
	text, err := os.ReadFile("../../deploy/packages/reaperd.1")
	if err != nil {
		t.Fatal(err)
	}
	_, commands, _ := strings.Cut(string(text), ".SH COMMANDS\n")
	commands, _, _ = strings.Cut(commands, ".SH OPTIONS\n")
	page := strings.Fields(strings.NewReplacer(`\fR`, " ", `\fB`, " ", `\fI`, " ", ",", " ", "|", " ").Replace(commands))
	words := make(map[string]bool, len(page))
	for _, word := range page {
		words[word] = true
	}
	for _, command := range newRoot(&shared{}).Commands() {
		if command.IsAvailableCommand() && !words[command.Name()] {
			t.Errorf("deploy/packages/reaperd.1 does not name %q", command.Name())
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/schema"
)

var shellCode = regexp.MustCompile("(?s)```(?:sh|console)\n(.*?)```")

// TestCommandsOfTheDocumentationAreUnderstood parses every command line of reaperd in
// the documentation: the command, its flags and their values. None is run.
func TestCommandsOfTheDocumentationAreUnderstood(t *testing.T) {
	var names []string
	for _, pattern := range []string{"../../*.md", "../../docs/*.md", "../../deploy/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	read := 0
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range shellCode.FindAllStringSubmatch(string(text), -1) {
			for line := range strings.Lines(code[1]) {
				words, is := commandLine(line)
				if !is {
					continue
				}
				read++
				if err := understood(words); err != nil {
					t.Errorf("%s: %s: %v", filepath.Base(name), strings.TrimSpace(line), err)
				}
			}
		}
	}
	if read < 15 {
		t.Errorf("only %d command lines were found", read)
	}
}

// TestEverySchemaIsDocumented reads the table of docs/json.md.
func TestEverySchemaIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		named = append(named, row[1])
	}
	slices.Sort(named)
	if !slices.Equal(named, schema.Names()) {
		t.Errorf("docs/json.md names %v, and there are %v", named, schema.Names())
	}
}

// commandLine returns the part of a shell's line that reaperd gets, without comments,
// pipes and wrappers such as sudo.
func commandLine(line string) ([]string, bool) {
	line = strings.TrimPrefix(strings.TrimSpace(line), "$ ")
	line = strings.TrimPrefix(line, "sudo ")
	line, is := strings.CutPrefix(line, "reaperd ")
	if !is {
		return nil, false
	}
	for _, end := range []string{" #", "   ", " > ", " | ", " && ", " &"} {
		line, _, _ = strings.Cut(line, end)
	}
	return strings.Fields(strings.NewReplacer("'", "", `"`, "").Replace(line)), true
}

// understood returns why a command line would be refused.
func understood(words []string) error {
	root := newRoot(&shared{})
	cmd, rest, err := root.Find(words)
	if err != nil {
		return err
	}
	cmd.RunE, cmd.Run = func(*cobra.Command, []string) error { return nil }, nil
	return cmd.ParseFlags(rest)
}

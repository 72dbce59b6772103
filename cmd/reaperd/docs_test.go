package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var (
	shellCode  = regexp.MustCompile("(?s)```(?:sh|console)\n(.*?)```")
	fencedCode = regexp.MustCompile("(?s)```.*?```")
	inlineCode = regexp.MustCompile("`([^`]+)`")
	shellWord  = regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`)
	standsFor  = regexp.MustCompile(`^[A-Z]+$`) // a placeholder for an argument, such as NAME
)

// TestCommandsOfTheDocumentationAreUnderstood parses every command line of reaperd in the
// documentation, in blocks and in sentences: the command, its flags, their values and its
// arguments. None is run.
func TestCommandsOfTheDocumentationAreUnderstood(t *testing.T) {
	read := 0
	for name, text := range documentation(t) {
		for _, line := range commandLines(text) {
			words, is := commandLine(line)
			if !is {
				continue
			}
			read++
			if err := understood(words); err != nil {
				t.Errorf("%s: %s: %v", name, line, err)
			}
		}
	}
	if read < 120 {
		t.Errorf("only %d command lines were found", read)
	}
}

// documentation returns every page by its path.
func documentation(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "deploy/*.md", "deploy/*/*.md"} {
		found, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			pages[strings.TrimPrefix(path, "../../")] = string(text)
		}
	}
	return pages
}

// commandLines returns the lines of shell in a page, and the code in its sentences,
// which may go over the end of a line.
func commandLines(text string) (lines []string) {
	for _, code := range shellCode.FindAllStringSubmatch(text, -1) {
		lines = append(lines, strings.Split(code[1], "\n")...)
	}
	for _, code := range inlineCode.FindAllStringSubmatch(fencedCode.ReplaceAllString(text, ""), -1) {
		lines = append(lines, strings.Join(strings.Fields(code[1]), " "))
	}
	return lines
}

// TestEverySchemaIsDocumented reads the table of docs/json.md.
func TestEverySchemaIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		named = append(named, row[1])
	}
	slices.Sort(named)
	if !slices.Equal(named, schemaNames()) {
		t.Errorf("docs/json.md names %v, and there are %v", named, schemaNames())
	}
}

// commandLine returns the part of a shell's line that reaperd gets, without comments,
// pipes and wrappers such as sudo.
func commandLine(line string) ([]string, bool) {
	line = strings.TrimPrefix(strings.TrimSpace(line), "$ ")
	line = strings.TrimPrefix(line, "sudo ")
	line, is := strings.CutPrefix(line, "reaperd ")
	if !is || strings.ContainsAny(line, "[…") { // the latter shows the form of a command
		return nil, false
	}
	for _, end := range []string{" #", "   ", " > ", " | ", " && ", " &"} {
		line, _, _ = strings.Cut(line, end)
	}
	words := shellWord.FindAllString(line, -1)
	for i, word := range words {
		words[i] = strings.Trim(word, `'"`)
	}
	return words, true
}

// understood returns why a command line would be refused.
func understood(words []string) error {
	root := newRoot(&shared{})
	cmd, rest, err := root.Find(words)
	if err != nil {
		return err
	}
	cmd.RunE, cmd.Run = func(*cobra.Command, []string) error { return nil }, nil
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	given := cmd.Flags().Args()
	if len(given) == 0 || slices.ContainsFunc(given, standsFor.MatchString) { // a sentence names the command
		return nil
	}
	return cmd.ValidateArgs(given)
}

var (
	filterLine = regexp.MustCompile(`(?m)^reaperd (scan|history|status).* \| jq (?:-r )?'([^']+)'`)
	member     = regexp.MustCompile(`\.([a-z_]+)`)
)

// TestFiltersOfTheDocumentationNameWhatThereIs takes each jq filter in the documentation. Every
// member that it reads must be in the schema of the command whose output the filter gets.
func TestFiltersOfTheDocumentationNameWhatThereIs(t *testing.T) {
	read := 0
	for name, text := range documentation(t) {
		for _, line := range filterLine.FindAllStringSubmatch(text, -1) {
			format, err := schemaNamed(line[1])
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range member.FindAllStringSubmatch(line[2], -1) {
				read++
				if !strings.Contains(string(format), `"`+found[1]+`": {`) {
					t.Errorf("%s: %s: the schema %q has no %s", name, line[0], line[1], found[1])
				}
			}
		}
	}
	if read < 8 {
		t.Errorf("only %d members were found", read)
	}
}

// TestTheREADMESaysOfACommandWhatItsHelpSays: the help, the man page and the README have one text.
func TestTheREADMESaysOfACommandWhatItsHelpSays(t *testing.T) {
	lines := regexp.MustCompile(`(?m)^reaperd ([a-z]+)(?: PID)? +# (.+)$`).FindAllStringSubmatch(documentation(t)["README.md"], -1)
	if len(lines) != 3 {
		t.Errorf("the README has %d commands, want three", len(lines))
	}
	for _, line := range lines {
		if cmd, _, err := newRoot(&shared{}).Find(line[1:2]); err != nil || !strings.EqualFold(cmd.Short, line[2]) {
			t.Errorf("%s: %v; its help says %q", line[0], err, cmd.Short)
		}
	}
}

// TestEveryPageIsReachedFromTheREADME keeps a page of docs from being written for nobody.
func TestEveryPageIsReachedFromTheREADME(t *testing.T) {
	pages := documentation(t)
	for name := range pages {
		if strings.HasPrefix(name, "docs/") && !strings.Contains(pages["README.md"], "]("+name+")") {
			t.Errorf("README.md does not lead to %s", name)
		}
	}
}

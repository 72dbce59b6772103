package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/human"
)

// manPages writes the pages as a package has them, and returns their folder.
func manPages(t *testing.T) string {
	t.Helper()
	t.Setenv("SOURCE_DATE_EPOCH", "1767225600")
	folder := filepath.Join(t.TempDir(), "man")
	var said bytes.Buffer
	if code := run(t.Context(), []string{"man", folder}, cli.Terminal{Out: &said, Err: &said}); code != 0 {
		t.Fatalf("man: code %d, %s", code, said.String())
	}
	return folder
}

// TestEveryPageThatAPageNamesIsThere reads what stands under "SEE ALSO".
func TestEveryPageThatAPageNamesIsThere(t *testing.T) {
	folder := manPages(t)
	pages, err := filepath.Glob(filepath.Join(folder, "*.1"))
	if err != nil || len(pages) < len(newRoot(&shared{}).Commands())-3 { // help, and two that are hidden
		t.Fatalf("%d pages (%v)", len(pages), err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range regexp.MustCompile(`(?m)^\.BR (reaperd\S*) \(1\)`).FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(folder, strings.ReplaceAll(name[1], `\-`, "-")+".1")); err != nil {
				t.Errorf("%s: %v", filepath.Base(page), err)
			}
		}
	}
}

// TestManReadsEveryPage has groff lay out each page for a terminal of 80 columns.
func TestManReadsEveryPage(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("needs groff (Debian: groff-base)")
	}
	pages, err := filepath.Glob(filepath.Join(manPages(t), "*.1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		var said bytes.Buffer
		cmd := exec.CommandContext(t.Context(), groff, "-man", "-Tutf8", "-ww", "-rLL=78n", "-P-cbou", page)
		cmd.Stderr = &said
		text, err := cmd.Output()
		if err != nil || said.Len() > 0 {
			t.Errorf("%s: %v %s", filepath.Base(page), err, said.String())
		}
		for line := range strings.Lines(string(text)) {
			if human.Width(strings.TrimRight(line, "\n")) > 80 {
				t.Errorf("%s: wider than 80 columns: %s", filepath.Base(page), line)
			}
		}
	}
}

func TestTheDateOfThePagesIsThatOfTheSources(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	var said bytes.Buffer
	code := run(t.Context(), []string{"man", t.TempDir()}, cli.Terminal{Out: &said, Err: &said})
	if want := `SOURCE_DATE_EPOCH="yesterday": want seconds since 1970`; code != 2 || !strings.Contains(said.String(), want) {
		t.Errorf("code %d, %s, want %s", code, said.String(), want)
	}
}

package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/human"
)

// manPages writes the pages as a package has them, and returns their folder.
func manPages(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "man")
	var said bytes.Buffer
	if code := run(t.Context(), []string{"man", folder}, cli.Terminal{Out: &said, Err: &said}); code != 0 {
		t.Fatalf("man: code %d, %s", code, said.String())
	}
	return folder
}

// TestManReadsEveryPage has groff lay out each page for a terminal of 80 columns.
func TestManReadsEveryPage(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("needs groff (Debian: groff-base)")
	}
	pages, err := filepath.Glob(filepath.Join(manPages(t), "*.1"))
	if err != nil || len(pages) < len(newRoot(&shared{}).Commands())-3 { // help, and two that are hidden
		t.Fatalf("%d pages (%v)", len(pages), err)
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

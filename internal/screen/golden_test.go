package screen

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/account"
)

var update = flag.Bool("update", false, "write the golden files anew")

// mostExplained is how many things of a world the properties explain; of a larger one it is the first thing of each row.
const mostExplained = 14

// asJSON are the worlds whose golden files have the JSON too: one of each kind of thing. The properties read it of all.
var asJSON = []string{"container-due", "healthy-daemon", "orphan-due", "report-dialpad", "sessions-orphaned"}

// long is how many lines a screen has whose other width no golden file repeats.
const long = 30

func options(width int) Options {
	return Options{Width: width, UTF8: true, Home: "/home/dev", Location: time.UTC}
}

// builtIn is what changes with each line of the built-in policy.
var builtIn = regexp.MustCompile(`built-in:[0-9]+|"sha256": "[0-9a-f]+"`)

// TestEveryWorldLooksAsItDid writes every screen of every world, and compares it with its golden file.
func TestEveryWorldLooksAsItDid(t *testing.T) {
	for _, s := range scenes(t) {
		t.Run(s.name, func(t *testing.T) {
			got := builtIn.ReplaceAllFunc(golden(t, s), func(found []byte) []byte {
				name, _, _ := strings.Cut(string(found), ":")
				return []byte(name + ": …")
			})
			file := "testdata/golden/" + s.name + ".txt"
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s is not what it was: go test ./internal/screen -update, and read the difference", file)
			}
		})
	}
}

// golden is every screen of a world.
func golden(t *testing.T, s *scene) []byte {
	t.Helper()
	var b bytes.Buffer
	show := func(title string, write func(io.Writer) error) {
		fmt.Fprintf(&b, "-- %s --\n", title)
		if err := write(&b); err != nil {
			t.Fatalf("%s: %v", title, err)
		}
	}
	a := s.account()
	widths := []int{100, 60}
	if bytes.Count(written(t, a, options(100)), []byte("\n")) > long {
		widths = widths[:1]
	}
	for _, width := range widths {
		show(fmt.Sprint("scan ", width), func(w io.Writer) error { return Scan(w, a, options(width)) })
	}
	wide := options(100)
	wide.Wide = true
	if len(a.Things) <= mostExplained {
		show("scan wide", func(w io.Writer) error { return Scan(w, a, wide) })
	}
	for _, width := range widths {
		show(fmt.Sprint("status ", width), func(w io.Writer) error { return Status(w, a, options(width)) })
	}
	show("short", func(w io.Writer) error { _, err := fmt.Fprintln(w, Short(a)); return err })
	plan, result, history := s.sweep()
	show("plan", func(w io.Writer) error { return Plan(w, plan, options(100)) })
	if len(plan.Targets)+len(s.entries) > 0 {
		show("question", func(w io.Writer) error { _, err := fmt.Fprintln(w, plan.Question); return err })
		show("result", func(w io.Writer) error { return Result(w, result, options(100)) })
		show("history", func(w io.Writer) error { return History(w, history, at(s.last().Add(time.Minute))) })
	}
	for _, word := range append(firsts(a), s.asked...) {
		show("explain "+word, func(w io.Writer) error { return s.explain(w, word, options(100)) })
	}
	if slices.Contains(asJSON, s.name) {
		show("json", func(w io.Writer) error { return writeJSON(w, a) })
	}
	return b.Bytes()
}

// written is the scan's screen.
func written(t *testing.T, a *account.Account, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Scan(&b, a, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// firsts name the first thing of each fate.
func firsts(a *account.Account) (words []string) {
	things := a.ByID()
	for _, section := range a.Sections {
		if len(section.Rows) > 0 && len(section.Rows[0].Things) > 0 {
			words = append(words, things[section.Rows[0].Things[0]].Handle)
		}
	}
	return words
}

func at(now time.Time) Options {
	o := options(100)
	o.Now = now
	return o
}

func (s *scene) explain(w io.Writer, word string, o Options) error {
	e, err := account.ExplainOf(s.look, word, s.entries)
	if err != nil {
		_, err = fmt.Fprintln(w, err)
		return err
	}
	return Explain(w, e, o)
}

// explained are the words of the things that the properties explain.
func (s *scene) explained(a *account.Account) (words []string) {
	things := a.ByID()
	for _, section := range a.Sections {
		for _, row := range section.Rows {
			for i, id := range row.Things {
				if i == 0 || len(a.Things) <= mostExplained {
					words = append(words, things[id].Handle)
				}
			}
			if row.Word != "" && len(row.Things) > 0 && row.Word != things[row.Things[0]].Handle && section.Fate == account.InUse {
				words = append(words, row.Word)
			}
		}
	}
	return append(words[:min(len(words), 2*mostExplained)], s.asked...)
}

func writeJSON(w io.Writer, v any) error {
	text, err := JSON(v)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

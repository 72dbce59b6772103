package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
)

func TestALongCellMovesOnlyItsOwnLine(t *testing.T) {
	long := strings.Repeat("x", mostPadded+20)
	for _, row := range []struct {
		name  string
		table [][]string
		want  []string
	}{
		{"each column is as wide as its widest cell", [][]string{{"A", "B", "C"}, {"aaa", "b", "c"}}, []string{"A    B  C", "aaa  b  c"}},
		{"a command that is very long", [][]string{{"A", "B", "C"}, {"a", long, "c"}, {"a", "b", "c"}}, []string{
			"A  B" + strings.Repeat(" ", mostPadded+1) + "C", "a  " + long + "  c", "a  b" + strings.Repeat(" ", mostPadded+1) + "c",
		}},
		{"the last column has no width", [][]string{{"A", "B"}, {"a", long}, {"a", ""}}, []string{"A  B", "a  " + long, "a"}},
	} {
		if got := aligned(row.table); !slices.Equal(got, row.want) {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
}

func TestTheWideTableFitsATerminal(t *testing.T) {
	in := dollhouse().input()
	var whole, fitted strings.Builder
	if err := Table(&whole, in, Options{Width: 80, UTF8: true, Wide: true}); err != nil {
		t.Fatal(err)
	}
	if err := Table(&fitted, in, Options{Width: 80, UTF8: true, Wide: true, Terminal: true}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(fitted.String()) {
		if human.Width(line) > 80 {
			t.Errorf("too wide: %s", line)
		}
	}
	rows, _, _ := strings.Cut(whole.String(), "DECISION: ")
	for _, word := range strings.Fields(rows) {
		if human.Width(word) < 70 && !strings.Contains(fitted.String(), word) && !isColumn(word) {
			t.Errorf("%q is missing in\n%s", word, fitted.String())
		}
	}
}

// isColumn reports the name of a column whose cells speak for themselves.
func isColumn(word string) bool {
	return slices.Contains([]string{"KIND", "UP", "MEMORY", "CPU", "COMMAND", "EVIDENCE"}, word)
}

func TestANarrowWideTableKeepsTheOwner(t *testing.T) {
	w := newWorld("linux", 4)
	owner := w.session("docker-mcp-gateway", 710, 0, "/", 0)
	w.keep(owned(w.server("weather-mcp-server", 730, 0, 0, "weather"), owner, ""))
	var out strings.Builder
	if err := Table(&out, w.input(), Options{Width: 60, Wide: true, Terminal: true}); err != nil {
		t.Fatal(err)
	}
	if want := "   server, owner docker-mcp-gateway 710"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}

func TestAWideTerminalHasColumnsAndANarrowOneDoesNot(t *testing.T) {
	w := newWorld("linux", 4)
	owner := w.session("codex", 12, 0, "/", 0)
	w.keep(owned(w.server("fetch", 31, 0, 0, "node", "/opt/tools/mcp-server-fetch/dist/index.js"), owner, ""))
	detached := w.container("notes", "keepme", "mcp/notes", 0, 0)
	detached.Evidence = []graph.Evidence{{Check: graph.CheckStdin, Says: graph.SaysSilent, Text: "it was started detached, so that no docker run speaks to its stdin, and nobody else is attached to it as far as can be seen from here"}}
	w.keep(detached)
	for width, columned := range map[int]bool{80: false, 130: false, 180: true, 240: true} {
		var out strings.Builder
		if err := Table(&out, w.input(), Options{Width: width, UTF8: true, Wide: true, Terminal: true}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.String(), "COMMAND "); got != columned {
			t.Errorf("at %d columns, the command has a column: %t\n%s", width, got, out.String())
		}
		for line := range strings.Lines(out.String()) {
			if human.Width(strings.TrimSuffix(line, "\n")) > width {
				t.Errorf("at %d columns, too wide: %s", width, line)
			}
		}
		for _, whole := range []string{"/opt/tools/mcp-server-fetch/dist/index.js", "owned: ancestor!", "the checks that", "ancestor (what runs above it)."} {
			if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), whole) {
				t.Errorf("at %d columns, no %q in\n%s", width, whole, out.String())
			}
		}
	}
}

// What every column means is below the table, and what every check looks at has a word. Where a row is on several
// lines, these are explained in place of columns.
func TestTheLegendExplainsEachColumnAndCheck(t *testing.T) {
	for _, row := range []struct {
		options Options
		columns string
		below   string // how the explanation of the lines below a row begins
	}{
		{Options{Width: 80}, "DECISION FINDING KIND NAME ID OWNER UP MEMORY CPU COMMAND EVIDENCE", ""},
		{Options{Width: 400, Terminal: true}, "DECISION FINDING KIND NAME ID OWNER UP MEMORY CPU COMMAND EVIDENCE", ""},
		{Options{Width: 100, Terminal: true}, "DECISION FINDING NAME ID OWNER", "Below each row: its kind; for how long it is up; the memory"},
		{Options{Width: 44, Terminal: true}, "DECISION FINDING NAME ID", `Below each row: its kind; its owner, "nobody" is no live owner`},
	} {
		var out strings.Builder
		row.options.UTF8, row.options.Wide = true, true
		if err := Table(&out, dollhouse().input(), row.options); err != nil {
			t.Fatal(err)
		}
		table, legend, _ := strings.Cut(out.String(), "DECISION: ")
		legend, below, hasBelow := strings.Cut("DECISION: "+strings.Join(strings.Fields(legend), " "), "Below each row: ")
		head := ""
		for line := range strings.Lines(table) {
			if strings.HasPrefix(line, "DECISION  ") {
				head = strings.Join(strings.Fields(line), " ")
			}
		}
		if head != row.columns || !strings.HasPrefix("Below each row: "+below, row.below) || hasBelow != (row.below != "") {
			t.Errorf("at %d columns:\n%s", row.options.Width, out.String())
		}
		for _, column := range strings.Fields("DECISION FINDING KIND NAME ID OWNER UP MEMORY CPU COMMAND EVIDENCE") {
			explained := strings.Contains(legend, column+":") || strings.Contains(legend, column+",")
			if explained != slices.Contains(strings.Fields(row.columns), column) {
				t.Errorf("at %d columns, %s is explained: %t", row.options.Width, column, explained)
			}
		}
		if all := legend + below; !strings.Contains(all, "stdin (who holds the other end)") || strings.Contains(all, "zombies (") {
			t.Errorf("the checks: %s", all)
		}
	}
}

package demo

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestTheRecordingHasTheWholeScript: what the director says today stands in the recording. If this
// fails, record anew: `NO_COLOR=1 reaperd demo` on a terminal of 80 columns, by a reaperd of `make build`.
func TestTheRecordingHasTheWholeScript(t *testing.T) {
	played := &story{}
	script := append(scriptOf(t, "director.go", "story.go"),
		played.aboutTimes())
	recorded := words(Recorded())
	for _, said := range script {
		if !pattern(said).MatchString(recorded) {
			t.Errorf("the recording does not say:\n%s", said)
		}
	}
	if len(script) < 12 {
		t.Errorf("only %d sentences of the script were found", len(script))
	}
}

// onlyHeld are the steps of a held world, of which there is no recording.
var onlyHeld = map[string]bool{"hold": true}

// scriptOf are the texts that the director's functions in these files say, with their verbs of fmt.
func scriptOf(t *testing.T, files ...string) (script []string) {
	t.Helper()
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range parsed.Decls {
			if function, is := declared.(*ast.FuncDecl); is && !onlyHeld[function.Name.Name] {
				script = append(script, saidIn(function)...)
			}
		}
	}
	return script
}

// saidIn are the literal texts that a function says.
func saidIn(function *ast.FuncDecl) (texts []string) {
	ast.Inspect(function, func(n ast.Node) bool {
		call, is := n.(*ast.CallExpr)
		if !is || len(call.Args) == 0 {
			return true
		}
		called, isMethod := call.Fun.(*ast.SelectorExpr)
		literal, isLiteral := call.Args[0].(*ast.BasicLit)
		if isMethod && isLiteral && called.Sel.Name == "say" {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				texts = append(texts, text)
			}
		}
		return true
	})
	return texts
}

// pattern matches a text of fmt, whatever its verbs stand for and wherever its lines are broken.
func pattern(text string) *regexp.Regexp {
	quoted := regexp.QuoteMeta(words(text))
	return regexp.MustCompile(regexp.MustCompile(`%(\\\[\d\\\])?[sd]`).ReplaceAllString(quoted, ".*"))
}

// words is a text on one line.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

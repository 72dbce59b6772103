package policy

import (
	"strings"
	"testing"
)

func TestGlob(t *testing.T) {
	for _, row := range []struct {
		glob, text string
		want       bool
	}{
		{"*", "", true}, {"*", "a/b", true}, {"", "", true}, {"", "a", false},
		{"a*c", "abbc", true}, {"a*c", "ac", true}, {"a*c", "acb", false},
		{"*/mcp-server/dist/index.js", "/home/dev/src/mcp-server/dist/index.js", true},
		{"mcp/*", "mcp/fetch:1", true}, {"a?c", "aéc", true}, {"a?c", "ac", false},
		{"[a-c]x", "bx", true}, {"[^a-c]x", "bx", false}, {"[^a/]x", "/x", false}, {"[a/]x", "/x", true}, {"a?c", "a/c", true},
		{`[\]]`, "]", true}, {`[a\-]`, "-", true}, {`\*`, "*", true}, {`\*`, "a", false},
		{`\{a\}`, "{a}", true}, {"**", "x", true}, {"*a*b*c*", "xxaxxbxxcxx", true}, {"*a*b*c*", "xxaxxcxxbxx", false},
		{"é*", "étude", true}, {"A", "a", false},
	} {
		if err := checkGlob(row.glob); err != nil && row.glob != "" {
			t.Errorf("%q: %v", row.glob, err)
		}
		if got := matchGlob(row.glob, row.text); got != row.want {
			t.Errorf("%q on %q: %v", row.glob, row.text, got)
		}
	}
	for _, glob := range []string{"", "[", "[]", "[^", "[^]", "[a", `a\`, `[a\`, `[\]`, "{a,b}", "a}", `\\{`, "[!a-c]x", "[]]", "[a-]"} {
		if checkGlob(glob) == nil {
			t.Errorf("%q was taken", glob)
		}
	}
}

func TestAGlobOfStarsTakesNoLongerThanItsText(t *testing.T) {
	if matchGlob(strings.Repeat("*a", 200)+"b", strings.Repeat("a", 20_000)) {
		t.Error("matched")
	}
}

func FuzzGlob(f *testing.F) {
	for _, seed := range [][2]string{{"a*[b-d]?", "axxcz"}, {"[", "a"}, {`\`, "a"}, {"[a-\xff]", "\xff"}, {"*\\", "x"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, glob, text string) {
		if checkGlob(glob) == nil {
			matchGlob(glob, text)
		}
	})
}

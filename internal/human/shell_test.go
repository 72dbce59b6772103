package human

import "testing"

func TestWordsAreQuotedForTheShellWhereTheyMust(t *testing.T) {
	for _, row := range []struct {
		name  string
		words []string
		want  string
	}{
		{"flags and names", []string{"sweep", "--idle-over", "1m", "claude-code"}, "sweep --idle-over 1m claude-code"},
		{"a path, an image and a version", []string{"/opt/a-b_c.d", "ghcr.io/acme/mcp:1.2", "@acme/mcp@1.2"}, "/opt/a-b_c.d ghcr.io/acme/mcp:1.2 @acme/mcp@1.2"},
		{"a glob", []string{"sweep", "github*"}, "sweep 'github*'"},
		{"a home", []string{"~root"}, "'~root'"},
		{"a blank and a quote", []string{"sweep", "it's a server"}, `sweep 'it'\''s a server'`},
		{"an empty word", []string{"sweep", ""}, "sweep ''"},
		{"a command in a word", []string{"sweep", "$(reboot)"}, "sweep '$(reboot)'"},
		{"no word", nil, ""},
	} {
		if got := Shell(row.words...); got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
}

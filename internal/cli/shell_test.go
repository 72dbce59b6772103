package cli

import "testing"

func TestACommandLineIsWrittenAsAShellReadsIt(t *testing.T) {
	for _, row := range []struct {
		name string
		args []string
		want string
	}{
		{"flags and names", []string{"sweep", "--idle-over", "1m", "claude-code"}, "sweep --idle-over 1m claude-code --yes"},
		{"a glob", []string{"sweep", "github*"}, "sweep 'github*' --yes"},
		{"a blank and a quote", []string{"sweep", "it's a server"}, `sweep 'it'\''s a server' --yes`},
		{"an empty word", []string{"sweep", ""}, "sweep '' --yes"},
		{"a command in a word", []string{"sweep", "$(reboot)"}, "sweep '$(reboot)' --yes"},
		{"a name that looks like a flag", []string{"sweep", "--now", "--", "-x"}, "sweep --now --yes -- -x"},
		{"no word", nil, "--yes"},
	} {
		if got := Shell(WithFlag(row.args, "--yes")); got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
}

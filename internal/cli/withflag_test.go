package cli

import (
	"slices"
	"testing"
)

func TestAFlagStandsBeforeTheEndOfTheFlags(t *testing.T) {
	for _, row := range []struct {
		name       string
		args, want []string
	}{
		{"behind what was typed", []string{"sweep", "--now", "git*"}, []string{"sweep", "--now", "git*", "--yes"}},
		{"before a name that looks like a flag", []string{"sweep", "--now", "--", "-x"}, []string{"sweep", "--now", "--yes", "--", "-x"}},
		{"nothing was typed", nil, []string{"--yes"}},
	} {
		if got := WithFlag(row.args, "--yes"); !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

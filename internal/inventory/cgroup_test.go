package inventory

import (
	"strings"
	"testing"
)

func TestOnlyAFullIDNamesAContainer(t *testing.T) {
	recorded := strings.Repeat("0a", 32)
	for id, want := range map[string]bool{
		recorded:                              true,
		recorded[:12]:                         false,
		"charming_easley":                     false,
		"":                                    false,
		strings.ToUpper(recorded):             false,
		recorded + "0":                        false,
		strings.Repeat("x", 64):               false,
		strings.Repeat("a", 62) + "/x":        false,
		"sha256:" + strings.Repeat("a", 64-7): false,
		strings.Repeat("a", 63) + "\n":        false,
	} {
		if got := IsContainerID(id); got != want {
			t.Errorf("%q: %v, want %v", id, got, want)
		}
	}
}

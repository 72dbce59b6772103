package inventory

import "testing"

func TestTheHandleOfAContainerIsItsNameOrTheFirstDigitsOfItsID(t *testing.T) {
	const id = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	for name, want := range map[string]string{"eager_fermi": "eager_fermi", "/eager_fermi": "eager_fermi", "": "0123456789ab"} {
		if got := (&Container{ID: id, Name: name}).Handle(); got != want {
			t.Errorf("of the name %q: %q, want %q", name, got, want)
		}
	}
}

package terminal

import (
	"bytes"
	"strings"
	"testing"
)

func TestOnlyYesIsAYes(t *testing.T) {
	for answer, want := range map[string]bool{
		"y\n": true, "Y\n": true, " yes \n": true, "yes": true,
		"": false, "\n": false, "n\n": false, "yess\n": false, "yes please\n": false, "\x03y\n": false,
	} {
		var said bytes.Buffer
		asked := &Terminal{In: strings.NewReader(answer), Err: &said}
		yes, err := asked.Ask(t.Context(), "Stop these 4?", "Nothing stopped.")
		if yes != want || err != nil || strings.Contains(said.String(), "Nothing stopped.") == want {
			t.Errorf("%q is %v, %v, and it says %q", answer, yes, err, said.String())
		}
	}
}

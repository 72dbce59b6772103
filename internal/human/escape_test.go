package human

import (
	"encoding/json"
	"testing"
)

func TestInvisibleCharactersAreEscapedAndMeanTheSame(t *testing.T) {
	const name = "a\u202eb\u0085c\u2028d\u007fe\U000e0041 é 漢"
	plain, err := json.Marshal(map[string]string{"name": name})
	if err != nil {
		t.Fatal(err)
	}
	escaped := EscapeJSON(plain)
	for _, r := range string(escaped) {
		if IsInvisible(r) {
			t.Errorf("%U is still there", r)
		}
	}
	var back map[string]string
	if err := json.Unmarshal(escaped, &back); err != nil || back["name"] != name {
		t.Errorf("got %q, %v", back["name"], err)
	}
}

package human

import "testing"

func TestTextOfOthersSteersNoTerminal(t *testing.T) {
	for says, c := range map[string]struct{ text, want string }{
		"plain":                        {"node index.js --port 80", "node index.js --port 80"},
		"signs of every script":        {"é 漢 🙂 ×", "é 漢 🙂 ×"},
		"a colour":                     {"a\x1b[31mb", "a?[31mb"},
		"a cursor, a bell, a line":     {"a\rb\ac\nd", "a?b?c?d"},
		"an 8-bit control":             {"a\u009b31mb", "a?31mb"},
		"text turned round":            {"a\u202eb\u2067c", "a?b?c"},
		"separators of lines":          {"a\u2028b\u2029c", "a?b?c"},
		"nothing that shows":           {"a\u200bb\x7fc\U000e0041", "a?b?c?"},
		"bytes that are no UTF-8":      {"a\xffb", "a?b"},
		"a space that is never broken": {"a\u00a0b", "a b"},
	} {
		if got := Safe(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", says, got, c.want)
		}
	}
}

func TestAReasonIsOneLine(t *testing.T) {
	for text, want := range map[string]string{"": "", " release\n today\t": "release today", "a\x1b]0;x\a b": "a?]0;x? b"} {
		if got := Line(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestTheNearestSignWithoutUTF8(t *testing.T) {
	const text, want = "a – b — c · 3 × “d” ‘e’ › f\u00a0é漢", `a - b - c - 3 x "d" 'e' > f ??`
	if got := ASCII(text); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

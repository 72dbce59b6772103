package human

import "testing"

func TestATextIsCutToColumns(t *testing.T) {
	for _, row := range []struct {
		name, text string
		width      int
		tail, want string
	}{
		{"it fits", "reaperd", 7, "…", "reaperd"},
		{"it does not", "reaperd", 6, "…", "reape…"},
		{"three dots take three columns", "reaperd", 6, "...", "rea..."},
		{"a letter of two columns does not fit into one", "漢字漢", 4, "…", "漢…"},
		{"an emoji of several runes is one", "👩\u200d💻👩\u200d💻", 3, "…", "👩\u200d💻…"},
		{"an accent takes no column", "e\u0301e\u0301", 2, "…", "e\u0301e\u0301"},
		{"a colour takes no column", "\x1b[31mred\x1b[0m", 3, "…", "\x1b[31mred\x1b[0m"},
		{"a colour is ended where the text is cut", "\x1b[31mreaperd\x1b[0m", 4, "…", "\x1b[31mrea…\x1b[0m"},
		{"there is no room for the tail", "reaperd", 2, "...", "re"},
		{"there is no room at all", "reaperd", 0, "…", ""},
	} {
		got := Truncate(row.text, row.width, row.tail)
		if got != row.want {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
		if Width(got) > row.width {
			t.Errorf("%s: %q takes %d columns", row.name, got, Width(got))
		}
	}
}

func TestATextIsFilledUpToColumns(t *testing.T) {
	for _, row := range []struct {
		text, left, right string
	}{
		{"a", "a   ", "   a"},
		{"日本", "日本", "日本"},
		{"日本語", "日本語", "日本語"},
		{"\x1b[1mé\x1b[0m", "\x1b[1mé\x1b[0m   ", "   \x1b[1mé\x1b[0m"},
	} {
		if left, right := Left(row.text, 4), Right(row.text, 4); left != row.left || right != row.right {
			t.Errorf("%q in four columns: %q and %q, want %q and %q", row.text, left, right, row.left, row.right)
		}
	}
}

package state

import (
	"os"
	"slices"
	"testing"
)

func TestWhatWrapHasChangedIsRecordedUntilItIsChangedBack(t *testing.T) {
	dir := freshDir(t)
	for _, row := range []struct{ changed, back, want []string }{
		{nil, nil, nil},
		{[]string{"/w/.mcp.json", "/a/.mcp.json"}, nil, []string{"/a/.mcp.json", "/w/.mcp.json"}},
		{[]string{"/w/.mcp.json"}, nil, []string{"/a/.mcp.json", "/w/.mcp.json"}},
		{nil, []string{"/a/.mcp.json", "/never"}, []string{"/w/.mcp.json"}},
	} {
		if err := dir.NoteWrapped(row.changed, row.back); err != nil {
			t.Fatal(err)
		}
		if got, err := dir.Wrapped(os.Geteuid()); err != nil || !slices.Equal(got, row.want) {
			t.Errorf("%+v: %v, %v", row, got, err)
		}
	}
	if err := os.WriteFile(dir.path(wrappedFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := dir.NoteWrapped([]string{"/x"}, nil); err == nil {
		t.Error("a damaged record is replaced")
	}
}

func TestWithoutARecordNothingIsWrapped(t *testing.T) {
	if got, err := freshDir(t).Wrapped(os.Geteuid()); got != nil || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}

package state

import (
	"os"
	"slices"
	"strconv"
	"testing"
)

func TestServersKnownByShapeAreKeptForOneBoot(t *testing.T) {
	dir := Dir(t.TempDir())
	if got, err := dir.Shapes("boot-1"); err != nil || len(got) > 0 {
		t.Errorf("before the first: %v, %v", got, err)
	}
	kept := []string{"57:1", "61:1"}
	if err := dir.KeepShapes("boot-1", kept); err != nil {
		t.Fatal(err)
	}
	for boot, want := range map[string][]string{"boot-1": kept, "boot-2": nil, "": nil} {
		if got, err := dir.Shapes(boot); err != nil || !slices.Equal(got, want) {
			t.Errorf("in boot %q: %v, %v, want %v", boot, got, err, want)
		}
	}
	var many []string
	for i := range 3 * mostShapes {
		many = append(many, strconv.Itoa(i+1)+":9999999999")
	}
	if err := dir.KeepShapes("boot-1", many); err != nil {
		t.Fatal(err)
	}
	if got, err := dir.Shapes("boot-1"); err != nil || !slices.Equal(got, many[:mostShapes]) {
		t.Errorf("of very many: %d, %v", len(got), err)
	}
	if err := os.WriteFile(dir.path(shapesFile), []byte("{"), privateFile); err != nil {
		t.Fatal(err)
	}
	if got, err := dir.Shapes("boot-1"); err == nil || len(got) > 0 {
		t.Errorf("a damaged file: %v, %v", got, err)
	}
}

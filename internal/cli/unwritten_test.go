package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
)

// limited takes so many writes, and fails from then on.
type limited struct{ left int }

func (l *limited) Write(data []byte) (int, error) {
	if l.left--; l.left < 0 {
		return 0, fmt.Errorf("write %d: full", -l.left)
	}
	return len(data), nil
}

func TestTheFirstErrorOfAWriteIsKept(t *testing.T) {
	for _, row := range []struct {
		world string
		takes int
		want  string
	}{
		{"everything is written", 3, "<nil>"},
		{"the end is missing", 2, "write 1: full"},
		{"nothing is written", 0, "write 1: full"},
	} {
		to := &limited{row.takes}
		noted := Terminal{Out: to}.Noted()
		for range 3 {
			fmt.Fprintln(noted.Out, "a line")
		}
		if got := fmt.Sprint(noted.Unwritten()); got != row.want {
			t.Errorf("%s: %s, want %s", row.world, got, row.want)
		}
	}
	plain := Terminal{Out: &limited{}}
	if _, err := io.WriteString(plain.Out, "a line"); err == nil || plain.Unwritten() != nil {
		t.Errorf("an Out that is not noted: %v, %v", err, plain.Unwritten())
	}
}

// TestANotedStreamIsStillAFile: otherwise a terminal would be no terminal.
func TestANotedStreamIsStillAFile(t *testing.T) {
	read, write, err := os.Pipe()
	if err = errors.Join(err, read.Close()); err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	if file, is := fileOf(Terminal{Out: write}.Noted().Out); !is || file != write {
		t.Errorf("got %v, %v", file, is)
	}
	if file, is := fileOf(Terminal{Out: io.Discard}.Noted().Out); is {
		t.Errorf("got the file %v", file)
	}
}

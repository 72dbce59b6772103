package journal

import (
	"fmt"
	"github.com/reaperd/reaperd/internal/ownfile"
	"io/fs"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestTheRemedyFitsTheCause(t *testing.T) {
	for _, row := range []struct {
		name string
		err  error
		room bool // more of it on the disk would help
	}{
		{"the disk is full", fmt.Errorf("write journal /j: %w", unix.ENOSPC), true},
		{"the user's share of it is", &fs.PathError{Op: "write", Path: "/j", Err: unix.EDQUOT}, true},
		{"another user's file", unix.EACCES, false},
		{"it is no file", ownfile.ErrIrregular, false},
	} {
		got := Remedy(row.err)
		if strings.Contains(got, "make room") != row.room || !strings.Contains(got, "--journal") {
			t.Errorf("%s: %s", row.name, got)
		}
	}
}

package human

import "testing"

func TestAHomeIsWrittenAsATilde(t *testing.T) {
	for _, row := range []struct {
		world string
		home  Home
		path  string
		want  string
	}{
		{"below the reader's home", "/tmp/elsewhere", "/tmp/elsewhere/src", "~/src"},
		{"the reader's home itself", "/tmp/elsewhere", "/tmp/elsewhere", "~"},
		{"a HOME with a slash at its end", "/srv/dev/", "/srv/dev/src", "~/src"},
		{"another user's process in the reader's home", "/home/dev", "/home/dev/src", "~/src"},
		{"the home of neither", "/home/dev", "/home/ann/src", "/home/ann/src"},
		{"a folder that begins like a home", "/home/dev", "/home/developer/x", "/home/developer/x"},
		{"a home further down in a path", "/home/dev", "/srv/home/dev", "/srv/home/dev"},
		{"a HOME that is the root folder", "/", "/srv/x", "/srv/x"},
		{"a HOME that is no absolute path", "home", "home/x", "home/x"},
		{"the value of an option", "/home/dev", "--dir=/home/dev/x", "--dir=~/x"},
		{"what only looks like an option", "/home/dev", "a=/home/dev", "a=/home/dev"},
		{"no path", "/home/dev", "built-in", "built-in"},
		{"nothing at all", "", "", ""},
	} {
		if got := row.home.Short(row.path); got != row.want {
			t.Errorf("%s: %q, want %q", row.world, got, row.want)
		}
	}
	argv := []string{"node", "/srv/dev/a.js", "--dir=/home/ann/x"}
	if got, want := Home("/srv/dev").Command(argv), "node ~/a.js --dir=/home/ann/x"; got != want {
		t.Errorf("a command is %q, want %q", got, want)
	}
}

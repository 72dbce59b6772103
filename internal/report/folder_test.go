package report

import "testing"

func TestAFolderIsWrittenFromItsUsersHome(t *testing.T) {
	for _, row := range []struct{ path, user, want string }{
		{"/root/src", "root", "~/src"},
		{"/home/dev", "dev", "~"},
		{"/home/dev/src", "eve", "/home/dev/src"},
		{"/home/developer", "dev", "/home/developer"},
		{"/srv", "", "/srv"},
	} {
		if got := FolderOf(row.path, row.user); got != row.want {
			t.Errorf("%s of %s is written %s, want %s", row.path, row.user, got, row.want)
		}
	}
}

package discover

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestParsePasswd(t *testing.T) {
	const text = `root:x:0:0:root:/root:/bin/bash
daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
# a comment:x:2:2::/comment:/bin/sh
dev:x:1000:1000:Dev,,,:/home/dev/:/bin/zsh

nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
twin:x:1001:1001::/home/dev:/bin/sh
rootdir:x:1002:1002::/:/bin/sh
relative:x:1003:1003::home:/bin/sh
negative:x:-2:-2::/home/negative:/bin/sh
short:x:1004
dos:x:1005:1005::/home/dos:/bin/sh` + "\r\n"
	want := []Home{{"/home/dev", 1000}, {"/home/dos", 1005}, {"/nonexistent", 65534}, {"/root", 0}, {"/usr/sbin", 1}}
	if got := parsePasswd([]byte(text)); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := parsePasswd(nil); len(got) != 0 {
		t.Errorf("no users have homes %v", got)
	}
}

func TestHomesAreAllUsersForRootAndTheOwnOneElse(t *testing.T) {
	homes, err := NewUsers().Homes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, home := range homes {
		if os.Geteuid() != 0 && (len(homes) != 1 || home.UID != os.Geteuid()) {
			t.Errorf("homes %v for user %d", homes, os.Geteuid())
		}
		if !filepath.IsAbs(home.Dir) {
			t.Errorf("%q is no path", home.Dir)
		}
	}
}

func FuzzParsePasswd(f *testing.F) {
	f.Add([]byte("root:x:0:0:root:/root:/bin/bash\n"))
	f.Add([]byte("::::::\n:"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, home := range parsePasswd(data) {
			if home.UID < 0 || home.Dir == "/" || home.Dir[0] != '/' {
				t.Errorf("%v", home)
			}
		}
	})
}

func TestTheHomeOfTheEnvironmentIsOne(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	homes, err := NewUsers().Homes(t.Context())
	if own := (Home{dir, os.Geteuid()}); err != nil || !slices.Contains(homes, own) {
		t.Errorf("no %v in %v, %v", own, homes, err)
	}
	if os.Geteuid() != 0 {
		return
	}
	for _, none := range []string{"", "/", "relative", filepath.Join(dir, "missing")} {
		t.Setenv("HOME", none)
		if homes, _ := NewUsers().Homes(t.Context()); slices.ContainsFunc(homes, func(h Home) bool { return h.Dir == none || h.Dir == "." }) {
			t.Errorf("HOME=%q is among %v", none, homes)
		}
	}
}

// TestHomesAreReadAgainWhenTheyChange lists the homes of a list of users and of a
// folder again and again.
func TestHomesAreReadAgainWhenTheyChange(t *testing.T) {
	root := t.TempDir()
	passwd, folder := filepath.Join(root, "passwd"), filepath.Join(root, "home")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(passwd+".new", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(passwd+".new", passwd); err != nil {
			t.Fatal(err)
		}
	}
	has := func(u *Users, dir string) bool {
		t.Helper()
		homes, err := u.listed(passwd, folder)
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(homes, func(h Home) bool { return h.Dir == dir })
	}
	u := NewUsers()
	if homes, err := u.listed(passwd, folder); err != nil || len(homes) != 0 {
		t.Fatalf("neither is there: %v, %v", homes, err)
	}
	write("dev:x:1000:1000::/srv/dev:/bin/sh\n")
	for _, time := range []string{"first", "second"} {
		if !has(u, "/srv/dev") {
			t.Errorf("the list that came is not read the %s time", time)
		}
	}
	write("dev:x:1000:1000::/srv/new:/bin/sh\n")
	if !has(u, "/srv/new") || has(u, "/srv/dev") {
		t.Error("another list of the same length is not read")
	}
	for _, dir := range []string{folder, filepath.Join(folder, "ldap")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		has(u, "")
	}
	if !has(u, filepath.Join(folder, "ldap")) {
		t.Error("the home that came is not found")
	}
	if err := os.Remove(filepath.Join(folder, "ldap")); err != nil {
		t.Fatal(err)
	}
	if has(u, filepath.Join(folder, "ldap")) {
		t.Error("the home that has gone is still found")
	}
}

// TestAnotherOwnerOfAHomeIsSeenAtOnce: the home of a new user of a directory service is
// made by root and given to the user later, which changes no list.
func TestAnotherOwnerOfAHomeIsSeenAtOnce(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a home away")
	}
	root := t.TempDir()
	passwd, folder := filepath.Join(root, "passwd"), filepath.Join(root, "home")
	home := filepath.Join(folder, "ldap")
	if err := errors.Join(os.WriteFile(passwd, nil, 0o600), os.MkdirAll(home, 0o700)); err != nil {
		t.Fatal(err)
	}
	u := NewUsers()
	for _, uid := range []int{0, 4711, 4711, 4712} {
		if err := os.Chown(home, uid, uid); err != nil {
			t.Fatal(err)
		}
		if homes, err := u.listed(passwd, folder); err != nil || !slices.Equal(homes, []Home{{home, uid}}) {
			t.Errorf("given to %d: %v, %v", uid, homes, err)
		}
	}
}

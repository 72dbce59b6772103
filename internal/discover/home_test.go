package discover

import (
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

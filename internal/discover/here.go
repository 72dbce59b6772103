package discover

import (
	"context"
	"os"

	"github.com/reaperd/reaperd/internal/human"
)

// Around reads the configurations of clients below homes, and in the working directory and the
// folders above it. The daemon never reads the latter: it has no working directory of a person's.
func Around(ctx context.Context, homes []Home) Set {
	return New(Options{}).Configured(ctx, homes, Here())
}

// Here is the working directory, if it is there.
func Here() []Workdir {
	folder, err := os.Getwd()
	if err != nil {
		return nil
	}
	return []Workdir{At(folder)}
}

// At is a folder, read as if a session worked in it: for root with the rights of the folder's owner.
func At(folder string) Workdir {
	uid := os.Getuid()
	if info, err := os.Stat(folder); err == nil && uid == 0 {
		uid = ownerOf(info)
	}
	return Workdir{Dir: folder, UID: uid}
}

// LookedAt says in a sentence which files [Around] has read: of these clients, or of all if there are none.
// homes names the homes, and more names further files; "" is none.
func LookedAt(clients []string, homes, more string) string {
	whose := "clients"
	if len(clients) > 0 {
		whose = human.List(clients)
	}
	return "Looked at: the files of " + whose + " in " + homes + ", in this folder and in those above it" + more + "."
}

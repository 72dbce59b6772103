package discover

import (
	"context"
	"os"

	"github.com/reaperd/reaperd/internal/human"
)

// Around reads the files that the clients of a person who works here go by: those of homes, and
// those around the working directory. Only a command that a person types reads the latter.
func Around(ctx context.Context, homes []Home) Set {
	set, _ := New(Options{}).Configured(ctx, homes, Here())
	return set
}

// Here is the working directory, if it is there.
func Here() []Workdir {
	folder, err := os.Getwd()
	if err != nil {
		return nil
	}
	return []Workdir{At(folder)}
}

// At is a folder as the working directory of a session. To root it is its owner's, as a session's
// would be that works in it.
func At(folder string) Workdir {
	uid := os.Getuid()
	if info, err := os.Stat(folder); err == nil && uid == 0 {
		uid = ownerOf(info)
	}
	return Workdir{Dir: folder, UID: uid}
}

// LookedAt says which files [Around] has read: those of these clients, or of all, in the homes that are so
// called, and of the working directory. more are further ones, or "".
func LookedAt(clients []string, homes, more string) string {
	whose := "clients"
	if len(clients) > 0 {
		whose = human.List(clients)
	}
	return "Looked at: the files of " + whose + " in " + homes + ", in this folder and in those above it" + more + "."
}

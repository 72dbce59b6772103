package wrap

import (
	"cmp"
	"context"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/state"
)

// Written is a client's file in which servers start by the reaperd exec that wrap wrote.
type Written struct {
	Path string
	// User is whose file it is, by name; empty if it is the present user's.
	User string
}

// FindWritten finds the files in which servers start by the reaperd exec that wrap wrote, by path: as
// root those in all users' homes, else in one's own, those around the working directory, and those that
// are recorded. What cannot be read is left out.
func FindWritten(ctx context.Context) []Written {
	homes, _ := discover.NewUsers().Homes(ctx)
	return writtenBelow(ctx, homes, state.Own())
}

func writtenBelow(ctx context.Context, homes []discover.Home, own state.Dir) []Written {
	folders := append(discover.Here(), recorded(own, os.Geteuid())...)
	for _, home := range homes {
		folders = append(folders, recorded(state.UserDir(home.Dir), home.UID)...)
	}
	set := discover.New(discover.Options{}).Configured(ctx, homes, folders)
	var files []Written
	for _, server := range set.Servers() {
		if isOurs(apart(server)) {
			files = append(files, Written{server.File, ownerOf(server)})
		}
	}
	slices.SortFunc(files, func(a, b Written) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.User, b.User)) })
	return slices.CompactFunc(files, func(a, b Written) bool { return a.Path == b.Path })
}

// recorded are the folders of the files that a user has recorded, and those above, for a file such as
// .cursor/mcp.json.
func recorded(dir state.Dir, uid int) (folders []discover.Workdir) {
	files, _ := dir.Wrapped(uid)
	for _, file := range files {
		if folder := filepath.Dir(file); filepath.IsAbs(folder) {
			folders = append(folders, discover.Workdir{Dir: folder, UID: uid}, discover.Workdir{Dir: filepath.Dir(folder), UID: uid})
		}
	}
	return folders
}

// ownerOf names the user of a server, if that is not the present one.
func ownerOf(s discover.Server) string {
	uid, known := s.Owner.Get()
	if !known || uid == os.Getuid() {
		return ""
	}
	id := strconv.Itoa(uid)
	if owner, err := user.LookupId(id); err == nil {
		return owner.Username
	}
	return id
}

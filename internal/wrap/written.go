package wrap

import (
	"cmp"
	"context"
	"os"
	"os/user"
	"slices"
	"strconv"

	"github.com/reaperd/reaperd/internal/discover"
)

// Written is a client's file in which servers start by the reaperd exec that wrap wrote.
type Written struct {
	Path string
	// User is whose file it is, by name; empty if it is the present user's.
	User string
}

// FindWritten finds the files in which servers start by the reaperd exec that wrap wrote, by path: as
// root those in all users' homes, else in one's own, and those around the working directory. What
// cannot be read is left out.
func FindWritten(ctx context.Context) []Written {
	homes, _ := discover.NewUsers().Homes(ctx)
	return writtenBelow(ctx, homes)
}

func writtenBelow(ctx context.Context, homes []discover.Home) []Written {
	set, _ := discover.New(discover.Options{}).Configured(ctx, homes, workingDirectory())
	var files []Written
	for _, server := range set.Servers() {
		if isOurs(apart(server)) {
			files = append(files, Written{server.File, ownerOf(server)})
		}
	}
	slices.SortFunc(files, func(a, b Written) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.User, b.User)) })
	return slices.CompactFunc(files, func(a, b Written) bool { return a.Path == b.Path })
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

// workingDirectory is the present one, if it is there.
func workingDirectory() []discover.Workdir {
	folder, err := os.Getwd()
	if err != nil {
		return nil
	}
	return []discover.Workdir{{Dir: folder, UID: os.Getuid()}}
}

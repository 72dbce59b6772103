package policyfile

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/reaperd/reaperd/internal/policy"
)

// hint is the advice for an error of [Load] without one, to a user.
func hint(err error, uid int) string {
	var distrusted *distrustError
	switch {
	case errors.As(err, &distrusted):
		return distrusted.remedy
	case isRootsToMend(err, uid):
		return "only root can mend " + System + ": " + another
	case errors.As(err, new(policy.Faults)):
		return "reaperd help policy   shows the keys"
	case errors.Is(err, fs.ErrPermission):
		return "make it readable, or " + another
	case errors.Is(err, fs.ErrNotExist):
		return "name a file that is there, or none: then " + strings.Join(paths(), ", ") + " and the built-in policy are tried"
	}
	return ""
}

// another is what helps where a file cannot be mended.
const another = "name a file of your own with --policies"

// IsRootsToMend reports that an error of [Load] is about the host's own policy, which this user cannot mend.
func IsRootsToMend(err error) bool { return isRootsToMend(err, os.Geteuid()) }

func isRootsToMend(err error, uid int) bool {
	var faults policy.Faults
	var unread *fs.PathError
	isUnread := errors.As(err, &unread) && unread.Path == System && errors.Is(err, fs.ErrPermission)
	return uid != 0 && (isUnread || errors.As(err, &faults) && len(faults) > 0 && faults[0].File == System)
}

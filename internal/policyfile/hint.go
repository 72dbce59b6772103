package policyfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/state"
)

// hint is the advice for an error of [Load] without one, to a user.
func hint(err error, uid int) string {
	var distrusted *distrustError
	var unread *fs.PathError
	switch {
	case errors.As(err, &distrusted):
		return distrusted.remedy
	case errors.As(err, new(policy.Faults)) && isRootsToMend(err, uid):
		return "only root can mend " + System + "; until then " + instead()
	case errors.As(err, new(policy.Faults)):
		return faultsHint(state.Own().HasDaemon())
	case errors.Is(err, fs.ErrPermission) && isRootsToMend(err, uid) && errors.As(err, &unread):
		return "sudo " + opens(unread.Path, isSeen) + "   lets every user read it; or " + instead()
	case errors.Is(err, fs.ErrPermission) && errors.As(err, &unread) && inStrangersHome(unread.Path, uid) != "":
		return inStrangersHome(unread.Path, uid)
	case errors.Is(err, fs.ErrPermission):
		return "make it readable, or name another file with --policies"
	case errors.Is(err, fs.ErrNotExist):
		return "name a file that is there, or none: then " + strings.Join(paths(), ", ") + " and the built-in policy are tried"
	}
	return ""
}

// IsRootsToMend reports that an error of [Load] is about the host's own policy, which this user cannot mend.
func IsRootsToMend(err error) bool { return isRootsToMend(err, os.Geteuid()) }

func isRootsToMend(err error, uid int) bool {
	var faults policy.Faults
	var unread *fs.PathError
	isIts := errors.As(err, &unread) && unread.Path == System || errors.As(err, &faults) && len(faults) > 0 && faults[0].File == System
	return uid != 0 && isIts
}

// instead says what a user can do where only root can mend the host's own policy.
func instead() string {
	if places := paths(); places[0] != System {
		return "have a file of your own, " + places[0] + ", or name one with --policies"
	}
	return "name a file of your own with --policies"
}

// opens is the command that lets every user read a file: of the file, or of the nearest folder above it that is seen,
// because that one hides the rest.
func opens(path string, isSeen func(string) bool) string {
	if isSeen(path) {
		return human.Shell("chmod", "a+r", path)
	}
	folder := filepath.Dir(path)
	for !isSeen(folder) && folder != filepath.Dir(folder) {
		folder = filepath.Dir(folder)
	}
	return human.Shell("chmod", "a+x", folder)
}

func isSeen(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// inStrangersHome is what helps where a file that was not named is in another user's home; empty if it is not.
func inStrangersHome(path string, uid int) string {
	if places := paths(); path == System || path != places[0] {
		return ""
	}
	switch variable := strangersHome(uid); variable {
	case "":
		return ""
	case "HOME":
		return "HOME is another user's: sudo -H goes by that of the user it runs as; or name a file with --policies"
	default:
		return variable + " is another user's: unset it, or name a file with --policies"
	}
}

// strangersHome is the variable that makes another user's folder this user's own, as HOME does where sudo keeps it;
// empty if none does.
func strangersHome(uid int) string {
	for _, variable := range []string{"XDG_CONFIG_HOME", "HOME"} {
		folder := os.Getenv(variable)
		if !filepath.IsAbs(folder) {
			continue
		}
		info, err := os.Stat(folder)
		if err != nil {
			return ""
		}
		if row, known := info.Sys().(*syscall.Stat_t); known && int(row.Uid) != uid && row.Uid != 0 {
			return variable
		}
		return "" // the first that is set holds
	}
	return ""
}

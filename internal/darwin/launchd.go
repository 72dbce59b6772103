package darwin

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Jobs maps the main processes of these users' launchd jobs to the jobs' labels; for
// root the system's jobs too. Domains that answered count although others did not:
// the error names those.
func Jobs(ctx context.Context, k Kernel, asRoot bool, uids []int) (map[int]string, error) {
	jobs := map[int]string{}
	var failed []error
	if asRoot {
		failed = append(failed, addJobs(ctx, k, jobs, "system"))
	}
	for _, uid := range uids {
		failed = append(failed, addUserJobs(ctx, k, jobs, uid))
	}
	return jobs, errors.Join(failed...)
}

// addUserJobs asks for both domains of a user. A user who has not logged in at the
// screen has no gui domain; one who has logged in nowhere else may have no user
// domain. One of the two must answer.
func addUserJobs(ctx context.Context, k Kernel, into map[int]string, uid int) error {
	number := strconv.Itoa(uid)
	screen := addJobs(ctx, k, into, "gui/"+number)
	background := addJobs(ctx, k, into, "user/"+number)
	if screen == nil || background == nil {
		return nil
	}
	return errors.Join(screen, background)
}

func addJobs(ctx context.Context, k Kernel, into map[int]string, domain string) error {
	printed, err := k.Launchctl(ctx, "print", domain)
	if err == nil {
		err = parseJobs(string(printed), into)
	}
	if err != nil {
		return fmt.Errorf("launchctl print %s: %w", domain, err)
	}
	return nil
}

// errJobs means that launchctl printed no list of services.
var errJobs = errors.New("there is no list of services in what it printed")

// parseJobs reads the running jobs of a domain: the block "services = { … }" of
// `launchctl print DOMAIN`, with a PID (0 is not running), a status and a label a line.
func parseJobs(printed string, into map[int]string) error {
	inside, seen := false, false
	for line := range strings.Lines(printed) {
		words := strings.Fields(line)
		switch {
		case strings.Join(words, " ") == "services = {":
			inside, seen = true, true
		case len(words) == 1 && words[0] == "}":
			inside = false
		case inside && len(words) >= 3:
			if pid, err := strconv.Atoi(words[0]); err == nil && pid > 0 {
				into[pid] = strings.Join(words[2:], " ")
			}
		}
	}
	if !seen {
		return errJobs
	}
	return nil
}

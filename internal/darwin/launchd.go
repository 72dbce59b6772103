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
		failed = append(failed, addJobs(ctx, k, jobs, "print", "system"))
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
	screen := addJobs(ctx, k, into, "print", "gui/"+number)
	background := addJobs(ctx, k, into, "print", "user/"+number)
	if screen == nil || background == nil {
		return nil
	}
	return errors.Join(screen, background)
}

func addJobs(ctx context.Context, k Kernel, into map[int]string, arguments ...string) error {
	printed, err := k.Launchctl(ctx, arguments...)
	if err != nil {
		return fmt.Errorf("launchctl %s: %w", strings.Join(arguments, " "), err)
	}
	found, err := parseJobs(string(printed))
	if err != nil {
		return fmt.Errorf("launchctl %s: %w", strings.Join(arguments, " "), err)
	}
	for pid, label := range found {
		into[pid] = label
	}
	return nil
}

// errJobs means that launchctl printed no list of services.
var errJobs = errors.New("there is no list of services in what it printed")

// parseJobs reads the running jobs of a domain: the block "services = { … }" of
// `launchctl print DOMAIN`, with a PID (0 is not running), a status and a label a
// line, or the same columns below a heading from `launchctl list`.
func parseJobs(printed string) (map[int]string, error) {
	jobs, inside, seen := map[int]string{}, false, false
	for line := range strings.Lines(printed) {
		words := strings.Fields(line)
		switch {
		case isHeading(words):
			inside, seen = true, true
		case len(words) == 1 && words[0] == "}":
			inside = false
		case inside && len(words) >= 3:
			if pid, err := strconv.Atoi(words[0]); err == nil && pid > 0 {
				jobs[pid] = strings.Join(words[2:], " ")
			}
		}
	}
	if !seen {
		return nil, errJobs
	}
	return jobs, nil
}

// isHeading reports the line in front of the jobs.
func isHeading(words []string) bool {
	line := strings.Join(words, " ")
	return line == "services = {" || line == "PID Status Label"
}

// Package asked has what a person asked of a command that looks, and writes it as a command to
// type: the one that was given, with something changed. Every hint that names another scan or
// sweep is made from it, so that it keeps what the person meant.
package asked

import (
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/human"
)

// Look is what a person asked of scan, sweep or explain, by flags and words. An empty text is a
// flag that was not given, or that the environment gives to the next command too.
type Look struct {
	Policies   string
	Mode       string
	Rules      []string
	Duplicates bool
	IdleOver   string
	Now        bool
	Settle     string
	Journal    string
	Output     string
	Yes        bool
	DryRun     bool
	Snapshots  []string // files that are looked at instead of this machine
	Names      []string
}

// LongestSettle is the longest time between two looks for which a person is asked to wait at a
// terminal. What takes longer is a daemon's to watch.
const LongestSettle = 10 * time.Minute

// Sweep is the command for such a sweep.
func (l Look) Sweep() string {
	flags := slices.Concat(with("--mode", l.Mode), with("--policies", l.Policies),
		given("--duplicates", l.Duplicates), with("--idle-over", l.IdleOver), given("--now", l.Now))
	for _, rule := range l.Rules {
		flags = append(flags, "--rule", rule)
	}
	flags = slices.Concat(flags, with("--settle", l.Settle), with("--journal", l.Journal), with("-o", l.Output), given("--yes", l.Yes), given("--dry-run", l.DryRun))
	return command("sweep", flags, l.Names)
}

// Scan is the command for such a scan.
func (l Look) Scan() string {
	return command("scan", slices.Concat(with("-o", l.Output), with("--policies", l.Policies), l.replay(), with("--settle", l.Settle)), l.Names)
}

// AsRoot is what root asks instead: by a policy of root's, which does not read one that a user may write.
func (l Look) AsRoot() Look {
	l.Policies = ""
	return l
}

// Explain is the command that explains one thing by the same policy.
func (l Look) Explain(handle string) string {
	return command("explain", slices.Concat(with("--policies", l.Policies), l.replay()), []string{handle})
}

// Elsewhere is what names the same policy and the same files, and nothing else that was asked.
func (l Look) Elsewhere() Look { return Look{Policies: l.Policies, Snapshots: l.Snapshots} }

// replay are the flags that name the files of a replay.
func (l Look) replay() (flags []string) {
	for _, file := range l.Snapshots {
		flags = append(flags, "--snapshot", file)
	}
	return flags
}

// Run is the command that starts a daemon: start, or one that goes by the same policy where that was
// named, as no service does.
func (l Look) Run(start string) string {
	if l.Policies == "" {
		return start
	}
	return command("run", with("--policies", l.Policies), nil)
}

func with(flag, value string) []string {
	if value == "" {
		return nil
	}
	return []string{flag, value}
}

func given(flag string, given bool) []string {
	if !given {
		return nil
	}
	return []string{flag}
}

// command is a command line. A name that looks like a flag stands behind "--".
func command(name string, flags, names []string) string {
	words := slices.Concat([]string{"reaperd", name}, flags)
	if slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, "-") }) {
		words = append(words, "--")
	}
	return human.Shell(append(words, names...)...)
}

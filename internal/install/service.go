package install

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/reaperd/reaperd/deploy"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/state"
)

// place is what a service's paths and commands depend on.
type place struct {
	os     string // as in runtime.GOOS
	root   string // a directory in front of every path of the system; empty means /
	uid    int
	user   string // the user's name; empty if unknown
	home   string // empty if there is none
	config string // the user's configuration directory
	state  string // the state directory
	binary string // path of this program
}

// service is the service of one machine.
type service struct {
	file string // unit or plist
	text string // content of the file
	// config is the configuration folder that the service reads; empty if it has no home and
	// reads the system's policy alone.
	config string
	// flags is the file with further flags for the service; empty if there is none.
	flags string
	link  string // the symbolic link that enabling makes; empty if it makes none
	reach reach
	start []command
	stop  []command
	after []command // run after its file is removed
	again []string  // the command that starts it again
	look  []string  // commands that show the service's state: the second is the manager's
	stays []stay    // what uninstall leaves, if it is there
}

// reach tells how to check that the service manager can be reached. The zero value means
// that it always can.
type reach struct {
	words []string // a command that succeeds if it can be reached, and changes nothing
	hint  string   // what makes it reachable
}

// command is a command line with the exit codes that are no failure.
type command struct {
	words  []string
	done   []int // exit codes that mean: there was nothing to do
	notYet []int // exit codes that mean: an earlier command has not finished, try again for a while
}

func does(words ...string) command { return command{words: words} }

// bootout unloads a launchd job. Exit codes: 3 (no such process) and 113 (could not find
// service) mean that the job is not loaded; 36 (operation now in progress) that the job
// takes time to end.
func bootout(job string) command {
	return command{words: []string{"launchctl", "bootout", job}, done: []int{3, 113}, notYet: []int{36}}
}

// bootstrap loads a launchd job. For some seconds after the job was unloaded, it exits
// with 5 (input/output error).
func bootstrap(domain, file string) command {
	return command{words: []string{"launchctl", "bootstrap", domain, file}, notYet: []int{5}}
}

// thisPlace returns the place of this machine and this user.
func thisPlace() (place, error) {
	binary, err := os.Executable()
	if err != nil {
		return place{}, fmt.Errorf("find this program: %w", err)
	}
	home, _ := os.UserHomeDir()
	return place{
		os: runtime.GOOS, uid: os.Geteuid(), user: userName(), home: home, binary: binary,
		config: policyfile.Config(), state: string(state.Own()),
	}, nil
}

// userName returns the name of the present user; empty if unknown.
func userName() string {
	u, err := user.LookupId(strconv.Itoa(os.Geteuid()))
	if err != nil {
		return ""
	}
	return u.Username
}

// who names the user in the form that loginctl accepts.
func (p place) who() string {
	if p.user == "" {
		return strconv.Itoa(p.uid)
	}
	return p.user
}

func (p place) path(path string) string { return filepath.Join("/", p.root, path) }

// service returns the service of this place, for the whole host or for the user.
func (p place) service(system bool) (service, error) {
	if !system && p.home == "" {
		return service{}, human.Failed("set HOME", "a user's service needs a home directory")
	}
	switch {
	case p.os == "linux" && system:
		return p.systemUnit(), nil
	case p.os == "linux":
		return p.userUnit(), nil
	case p.os == "darwin" && system:
		return p.launchDaemon(), nil
	case p.os == "darwin":
		return p.launchAgent(), nil
	}
	return service{}, human.Failed("reaperd run   runs it in the foreground, under whatever keeps services here", "%s has no service manager that reaperd knows", p.os)
}

func (p place) systemUnit() service {
	return service{
		file: p.path("/etc/systemd/system/" + deploy.UnitName),
		text: marked("# ", "", deploy.SystemUnit(p.binary)),
		// Without User= systemd sets no HOME.
		flags: p.path("/etc/default/reaperd"),
		link:  p.path("/etc/systemd/system/multi-user.target.wants/" + deploy.UnitName),
		again: []string{"systemctl", "start", "reaperd"},
		start: []command{
			does("systemctl", "daemon-reload"),
			does("systemctl", "enable", deploy.UnitName),
			does("systemctl", "restart", deploy.UnitName),
		},
		stop:  []command{does("systemctl", "disable", "--now", deploy.UnitName)},
		after: []command{does("systemctl", "daemon-reload")},
		look:  []string{"reaperd status", "systemctl status reaperd", "journalctl -u reaperd -f"},
		stays: append(p.stays(""), changes(p.path("/etc/systemd/system/"+deploy.UnitName))),
	}
}

func (p place) userUnit() service {
	folder := filepath.Join(p.config, "systemd", "user")
	return service{
		file:   filepath.Join(folder, deploy.UnitName),
		text:   marked("# ", "", deploy.UserUnit(p.binary)),
		config: p.config,
		flags:  filepath.Join(p.config, "reaperd", "environment"),
		link:   filepath.Join(folder, "default.target.wants", deploy.UnitName),
		again:  []string{"systemctl", "--user", "start", "reaperd"},
		// After su or sudo -u the user has no bus, or the environment does not name it.
		reach: reach{
			words: []string{"systemctl", "--user", "show", "--property=Version"},
			hint:  fmt.Sprintf("log in as the user, or: sudo loginctl enable-linger %s, and then set XDG_RUNTIME_DIR=/run/user/%d", p.who(), p.uid),
		},
		start: []command{
			does("systemctl", "--user", "daemon-reload"),
			does("systemctl", "--user", "enable", deploy.UnitName),
			does("systemctl", "--user", "restart", deploy.UnitName),
		},
		stop:  []command{does("systemctl", "--user", "disable", "--now", deploy.UnitName)},
		after: []command{does("systemctl", "--user", "daemon-reload")},
		look: []string{
			"reaperd status", "systemctl --user status reaperd", "journalctl --user -u reaperd -f",
			"loginctl enable-linger   keeps it after you log out",
		},
		stays: append(p.stays(p.config), changes(filepath.Join(folder, deploy.UnitName))),
	}
}

func (p place) launchAgent() service {
	return p.job(launchdJob{
		file:   filepath.Join(p.home, "Library", "LaunchAgents", deploy.Label+".plist"),
		domain: fmt.Sprintf("gui/%d", p.uid),
		text:   deploy.LaunchAgent(p.binary, p.home),
		config: p.config,
		log:    filepath.Join(p.home, "Library", "Logs", "reaperd.log"),
		// Users who are logged in over ssh alone have no such domain: launchctl then
		// exits with 125 (domain does not support specified action).
		reach: reach{
			words: []string{"launchctl", "print", fmt.Sprintf("gui/%d", p.uid)},
			hint:  "log in at the screen once, or for every user: sudo reaperd install --system",
		},
	})
}

func (p place) launchDaemon() service {
	return p.job(launchdJob{
		file:   p.path("/Library/LaunchDaemons/" + deploy.Label + ".plist"),
		domain: "system",
		text:   deploy.LaunchDaemon(p.binary),
		config: "", // launchd gives root's daemons no HOME
		log:    "/Library/Logs/reaperd.log",
	})
}

// launchdJob has the differences between a user's job and the host's.
type launchdJob struct {
	file, domain, text, log string
	config                  string // as in service
	reach                   reach
}

func (p place) job(j launchdJob) service {
	name := j.domain + "/" + deploy.Label
	return service{
		file:   j.file,
		text:   marked("<!-- ", " -->", j.text),
		config: j.config,
		reach:  j.reach,
		start:  []command{bootout(name), does("launchctl", "enable", name), bootstrap(j.domain, j.file)},
		again:  bootstrap(j.domain, j.file).words,
		stop:   []command{bootout(name)},
		look:   []string{"reaperd status", "launchctl print " + name, "tail -f " + j.log},
		stays:  append(p.stays(j.config), stay{"log", j.log, ""}),
	}
}

// stay is something that uninstall leaves: a file or a folder, and what more there is to say.
type stay struct{ what, path, more string }

// stays are the files of a service that reads the policy in a configuration folder and that
// uninstall leaves.
func (p place) stays(config string) []stay {
	folder := p.path(filepath.Dir(policyfile.System))
	if config != "" {
		folder = filepath.Join(config, "reaperd")
	}
	return []stay{
		{"policy", filepath.Join(folder, filepath.Base(policyfile.System)), ""},
		{"journal", filepath.Join(p.state, journal.FileName), ""},
		{"pins", state.Dir(p.state).PinsPath(), ""},
	}
}

// changes is what `systemctl edit` has written beside a unit.
func changes(unit string) stay { return stay{"changes", unit + ".d", "of systemctl edit"} }

// marked adds the line by which uninstall knows its own services: in front of a unit, or
// after the first line of a plist, since XML needs that one first.
func marked(open, end, text string) string {
	mark := open + deploy.Written + end + "\n"
	if first, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(first, "<?xml") {
		return first + "\n" + mark + rest
	}
	return mark + text
}

// installable returns an error, with a hint, if the service cannot be installed here.
func (p place) installable(s service) error {
	if p.lacksSystemd() {
		return human.Failed("reaperd run   under the init that is here; in a container as its command", "systemd does not run this system")
	}
	if p.packaged() != "" {
		return human.Failed("systemctl enable --now reaperd   or for yourself: systemctl --user enable --now reaperd", "a package has brought the service already")
	}
	for _, passing := range []string{os.TempDir(), "/tmp", "/var/tmp"} {
		if strings.HasPrefix(p.binary, filepath.Clean(passing)+"/") {
			return human.Failed("put it into /usr/local/bin or ~/.local/bin first, and run that one", "%s is in a directory that is emptied", p.binary)
		}
	}
	if strings.Contains(filepath.ToSlash(p.binary), "/Cellar/") {
		return human.Failed("brew services start reaperd", "%s goes with the next upgrade of the formula", p.binary)
	}
	if strings.ContainsAny(s.file+p.binary, "\n\r") {
		return human.Failed("", "%q: a service's path may not break a line", p.binary)
	}
	return nil
}

// packaged is the unit that a package has brought; empty if none has.
func (p place) packaged() string {
	for _, folder := range []string{"/usr/lib/systemd/system/", "/lib/systemd/system/"} {
		if unit := p.path(folder + deploy.UnitName); p.os == "linux" && isThere(unit) {
			return unit
		}
	}
	return ""
}

// changeable names who besides root may change a program or replace it: the owner of the
// program or of a directory above it, or everyone to whom a mode gives write permission.
// In a sticky directory only owners may.
func changeable(binary string) (string, error) {
	for path := binary; ; path = filepath.Dir(path) {
		info, err := os.Stat(path)
		if err != nil {
			return "", err
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		switch sticky := info.Mode()&os.ModeSticky != 0; {
		case ok && stat.Uid != 0:
			return fmt.Sprintf("the owner of %s (user %d)", path, stat.Uid), nil
		case info.Mode().Perm()&0o022 != 0 && !sticky:
			return fmt.Sprintf("whoever %s lets write (mode %04o)", path, info.Mode().Perm()), nil
		case path == filepath.Dir(path):
			return "", nil
		}
	}
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

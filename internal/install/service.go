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
	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/state"
)

// place is what decides where a service goes and what starts it.
type place struct {
	os     string // as runtime.GOOS
	root   string // before every path of the system; empty is /
	uid    int
	user   string // the user's name; empty: not known
	home   string // empty: none
	config string // the user's configuration directory
	state  string // the state directory
	binary string // this program
}

// service is one service of one machine.
type service struct {
	file  string // unit or plist
	text  string // what is to stand in it
	link  string // what enabling it makes beside it; empty: nothing
	reach reach
	start []command
	stop  []command
	after []command // once its file is gone
	look  []string  // how to look at it
	stays []string  // what removing it leaves
}

// reach is how to tell that a service's manager can be reached from
// here; the zero value is one that always can.
type reach struct {
	words []string // succeed where it can, and change nothing
	hint  string   // what brings it
}

// command is a command line, with the exit codes that are no failure.
type command struct {
	words  []string
	done   []int // there was nothing to do
	notYet []int // what was undone before is not over: once more, for a while
}

func does(words ...string) command { return command{words: words} }

// bootout unloads a launchd job. It exits with 3, no such process, or 113,
// could not find service, where the job is not loaded, and with 36, operation
// now in progress, while the job takes its time to end.
func bootout(job string) command {
	return command{words: []string{"launchctl", "bootout", job}, done: []int{3, 113}, notYet: []int{36}}
}

// bootstrap loads a launchd job. It exits with 5, input/output error, for some
// seconds after the job was unloaded.
func bootstrap(domain, file string) command {
	return command{words: []string{"launchctl", "bootstrap", domain, file}, notYet: []int{5}}
}

// thisPlace is this machine and this user.
func thisPlace() (place, error) {
	binary, err := os.Executable()
	if err != nil {
		return place{}, fmt.Errorf("find this program: %w", err)
	}
	home, _ := os.UserHomeDir()
	return place{
		os: runtime.GOOS, uid: os.Geteuid(), user: userName(), home: home, binary: binary,
		config: state.UserFolder("XDG_CONFIG_HOME", ".config"), state: string(state.Own()),
	}, nil
}

// userName is the name of the user who runs this; empty is not known.
func userName() string {
	u, err := user.LookupId(strconv.Itoa(os.Geteuid()))
	if err != nil {
		return ""
	}
	return u.Username
}

// who names the user as loginctl takes it.
func (p place) who() string {
	if p.user == "" {
		return strconv.Itoa(p.uid)
	}
	return p.user
}

func (p place) path(path string) string { return filepath.Join("/", p.root, path) }

// service is the service of this place, for the whole host or for the user.
func (p place) service(system bool) (service, error) {
	if !system && p.home == "" {
		return service{}, advice.Failed("set HOME", "a user's service needs a home directory")
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
	return service{}, advice.Failed("reaperd run   runs it in the foreground, under whatever keeps services here", "%s has no service manager that reaperd knows", p.os)
}

func (p place) systemUnit() service {
	return service{
		file: p.path("/etc/systemd/system/" + deploy.UnitName),
		text: marked("# ", "", deploy.SystemUnit(p.binary)),
		start: []command{
			does("systemctl", "daemon-reload"),
			does("systemctl", "enable", deploy.UnitName),
			does("systemctl", "restart", deploy.UnitName),
		},
		stop:  []command{does("systemctl", "disable", "--now", deploy.UnitName)},
		after: []command{does("systemctl", "daemon-reload")},
		look:  []string{"reaperd status", "systemctl status reaperd", "journalctl -u reaperd -f"},
		stays: []string{"policy   /etc/reaperd", "journal  " + p.state},
	}
}

func (p place) userUnit() service {
	folder := filepath.Join(p.config, "systemd", "user")
	return service{
		file: filepath.Join(folder, deploy.UnitName),
		text: marked("# ", "", deploy.UserUnit(p.binary)),
		link: filepath.Join(folder, "default.target.wants", deploy.UnitName),
		// After su or sudo -u there is no bus of the user's, or none that is named.
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
		stays: []string{"policy   " + filepath.Join(p.config, "reaperd"), "journal  " + p.state},
	}
}

func (p place) launchAgent() service {
	return p.job(launchdJob{
		file:   filepath.Join(p.home, "Library", "LaunchAgents", deploy.Label+".plist"),
		domain: fmt.Sprintf("gui/%d", p.uid),
		text:   deploy.LaunchAgent(p.binary, p.home),
		policy: filepath.Join(p.config, "reaperd"),
		log:    filepath.Join(p.home, "Library", "Logs", "reaperd.log"),
		// Who is logged in over ssh alone has no such domain: launchctl then exits
		// with 125, domain does not support specified action.
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
		policy: "/etc/reaperd", // launchd gives root's daemons no HOME
		log:    "/Library/Logs/reaperd.log",
	})
}

// launchdJob is what differs between a user's job and the host's.
type launchdJob struct {
	file, domain, text, policy, log string
	reach                           reach
}

func (p place) job(j launchdJob) service {
	name := j.domain + "/" + deploy.Label
	return service{
		file:  j.file,
		text:  marked("<!-- ", " -->", j.text),
		reach: j.reach,
		start: []command{bootout(name), does("launchctl", "enable", name), bootstrap(j.domain, j.file)},
		stop:  []command{bootout(name)},
		look:  []string{"reaperd status", "launchctl print " + name, "tail -f " + j.log},
		stays: []string{"policy   " + j.policy, "journal  " + p.state, "log      " + j.log},
	}
}

// marked puts the line by which uninstall knows its own after the first line of
// a plist, which must come first, or before a unit.
func marked(open, end, text string) string {
	mark := open + deploy.Written + end + "\n"
	if first, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(first, "<?xml") {
		return first + "\n" + mark + rest
	}
	return mark + text
}

// installable says why a service cannot be installed here, and what to do.
func (p place) installable(s service) error {
	if p.os == "linux" && !isThere(p.path("/run/systemd/system")) {
		return advice.Failed("reaperd run   under the init that is here; in a container see deploy/compose", "systemd does not run this system")
	}
	for _, packaged := range []string{"/usr/lib/systemd/system/", "/lib/systemd/system/"} {
		if p.os == "linux" && isThere(p.path(packaged+deploy.UnitName)) {
			return advice.Failed("systemctl enable --now reaperd   or for yourself: systemctl --user enable --now reaperd", "a package has brought the service already")
		}
	}
	for _, passing := range []string{os.TempDir(), "/tmp", "/var/tmp"} {
		if strings.HasPrefix(p.binary, filepath.Clean(passing)+"/") {
			return advice.Failed("put it into /usr/local/bin or ~/.local/bin first, and run that one", "%s is in a directory that is emptied", p.binary)
		}
	}
	if strings.Contains(filepath.ToSlash(p.binary), "/Cellar/") {
		return advice.Failed("brew services start reaperd", "%s goes with the next upgrade of the formula", p.binary)
	}
	if strings.ContainsAny(s.file+p.binary, "\n\r") {
		return advice.Failed("", "%q: a service's path may not break a line", p.binary)
	}
	return nil
}

// changeable names who but root may change a program, or put another in its
// place: the owner of it or of a directory above it, or everybody that a mode
// lets write there. In a sticky directory only owners may.
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

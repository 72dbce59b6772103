package doctor

import (
	"os"
	"runtime"
	"strconv"
	"strings"
)

// right is one Linux capability that reaperd uses as root, with its purpose.
type right struct {
	bit     uint // number in Linux' capability sets
	name    string
	without string
}

// rights are the three capabilities that every file in deploy/ grants.
func rights() []right {
	return []right{
		{5, "KILL", "other users' servers cannot be stopped"},
		{19, "SYS_PTRACE", "the descriptors of other processes cannot be read: whose their stdin is stays unknown, and what is unknown is kept"},
		{2, "DAC_READ_SEARCH", "/proc/PID/fd of other users' processes cannot be opened: whose their stdin is stays unknown, and their orphans are kept; and clients' configurations in homes of mode 0700 cannot be read"},
	}
}

// rightsSymptoms tells which capabilities a root process lacks here, as in a container or
// a hardened unit, and which AppArmor profile confines it, each with a remedy. It returns
// nothing for other users, and on systems without /proc.
func rightsSymptoms(at place, uid int, read func(name string) ([]byte, error)) []Symptom {
	if uid != 0 {
		return nil
	}
	var symptoms []Symptom
	if has, known := effectiveRights(read); known {
		for _, r := range rights() {
			if has&(1<<r.bit) == 0 {
				symptoms = append(symptoms, Symptom{"right " + r.name, stateNote, "root without it: " + r.without,
					remedy{unit: "CapabilityBoundingSet=CAP_" + r.name, compose: "cap_add: [" + r.name + "]", kubernetes: "securityContext.capabilities.add: [" + r.name + "]"}.at(at)})
			}
		}
	}
	if profile := appArmorProfile(read); profile != "" {
		symptoms = append(symptoms, Symptom{"AppArmor", stateNote,
			"confined by " + profile + ": signals to, and looks into, processes that are not may be refused",
			remedy{compose: "security_opt: [apparmor:unconfined]", kubernetes: "appArmorProfile: {type: Unconfined}"}.at(at)})
	}
	return symptoms
}

// effectiveRights returns the set of capabilities in effect (CapEff in proc(5)), by this thread: another,
// maybe the first, which /proc/self shows, may read a file with a user's rights alone.
func effectiveRights(read func(name string) ([]byte, error)) (set uint64, known bool) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	status, err := read("/proc/thread-self/status")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(status)) {
		if value, is := strings.CutPrefix(line, "CapEff:"); is {
			set, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64)
			return set, err == nil
		}
	}
	return 0, false
}

// appArmorProfile returns the profile that confines this process, as "NAME (MODE)"; empty
// if no profile is enforced.
func appArmorProfile(read func(name string) ([]byte, error)) string {
	text, err := read("/proc/self/attr/apparmor/current")
	if err != nil && os.IsNotExist(err) {
		text, err = read("/proc/self/attr/current")
	}
	profile := strings.TrimRight(string(text), "\n\x00")
	if err != nil || !strings.HasSuffix(profile, "(enforce)") {
		return ""
	}
	return profile
}

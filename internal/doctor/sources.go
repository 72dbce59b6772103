package doctor

import (
	"os"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/docker"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/install"
	"github.com/reaperd/reaperd/internal/inventory"
)

// hostSymptoms tells what can be seen here, and what stays unproven. hosted means that
// this host's daemon looks after the user who asks.
func hostSymptoms(s *inventory.Snapshot, hosted bool) []Symptom {
	symptoms := []Symptom{machineSymptom(s.Host, s.TakenAt), userSymptom(hosted, install.HowToStart()), namespaceSymptom(s)}
	symptoms = append(symptoms, networkSymptoms(os.Readlink)...)
	symptoms = append(symptoms, rightsSymptoms(here(), os.Geteuid(), os.ReadFile)...)
	for _, source := range s.Sources {
		if source.Name != inventory.SourceConfiguration { // configurationSymptom tells more
			symptoms = append(symptoms, sourceSymptom(source, len(s.Processes), hosted))
		}
	}
	return append(symptoms, runnerSymptoms(s)...)
}

// machineSymptom describes this host, for people who read the output elsewhere.
func machineSymptom(h inventory.Host, now time.Time) Symptom {
	said := []string{strings.TrimSpace(h.OS + " " + h.Kernel)}
	if h.Virtualization != "" {
		said = append(said, "a guest of "+h.Virtualization)
	}
	if h.MemoryBytes > 0 {
		said = append(said, human.Bytes(h.MemoryBytes)+" of memory")
	}
	if !h.BootedAt.IsZero() {
		said = append(said, "booted "+human.Span(now.Sub(h.BootedAt))+" ago")
	}
	return Symptom{"machine", stateOK, strings.Join(said, ", "), ""}
}

func userSymptom(hosted bool, start install.Starting) Symptom {
	text, remedy := "a normal user: your own servers can be stopped; another user's process that holds a pipe is not seen, and what it may hold is kept", "sudo reaperd install --system for the whole host"
	switch {
	case os.Geteuid() == 0:
		return Symptom{"user", stateOK, "root", ""}
	case hosted:
		text, remedy = text+rootSees, ""
	case start.Lasting == "":
		remedy = "sudo reaperd run looks after the whole host"
	}
	return Symptom{"user", stateNote, text, remedy}
}

// rootSees is the rest of a sentence about what only this user cannot see: there is nothing to mend.
const rootSees = "; this host's daemon sees all: sudo reaperd doctor shows it"

func namespaceSymptom(s *inventory.Snapshot) Symptom {
	switch s.Host.PIDNamespace {
	case "init":
		return Symptom{"pid namespace", stateOK, "the host's own: every process is visible", ""}
	case "other":
		return Symptom{"pid namespace", stateNote, "a scope of its own: only what runs in it is judged, and what is outside is unknown",
			remedy{host: "run it outside of this namespace for the whole host", compose: `pid: host, or to watch one agent's container pid: "service:NAME"`, kubernetes: "hostPID: true"}.at(here())}
	}
	return Symptom{"pid namespace", stateNote, "could not be told", ""}
}

// networkSymptoms tells when process 1 is in another network namespace: a container that
// sees the host's processes but not the host's network. If that cannot be read, it
// returns nothing.
func networkSymptoms(readlink func(name string) (string, error)) []Symptom {
	own, err := readlink("/proc/self/ns/net")
	first, firstErr := readlink("/proc/1/ns/net")
	if err != nil || firstErr != nil || own == first {
		return nil
	}
	return []Symptom{{"network", stateNote, "not that of the processes it watches: who holds the other end of their sockets is not told here, only whether it is closed",
		remedy{compose: `network_mode: host, or that of the container it watches: network_mode: "service:NAME"`, kubernetes: "hostNetwork: true"}.at(here())}}
}

// configurationSymptom tells which files of clients were read, and which were not, and
// why. A file in a repository may be anybody's, so that one is malformed is no fault.
func configurationSymptom(set discover.Set) Symptom {
	faults := set.FaultTexts()
	if len(faults) == 0 {
		return Symptom{inventory.SourceConfiguration, stateOK, configuredText(set), ""}
	}
	return Symptom{inventory.SourceConfiguration, stateNote, configuredText(set) + "\n" + strings.Join(faults, "\n"),
		"mend what is named, or look again at what was late: reaperd discover lists what is read"}
}

func configuredText(set discover.Set) string {
	if len(set.Files()) == 0 {
		return "no client's file names an MCP server"
	}
	return human.Count(len(set.Servers()), "configured server") + " in " + strings.Join(set.Files(), ", ")
}

func sourceSymptom(source inventory.Source, processes int, hosted bool) Symptom {
	name := source.Called()
	if source.Endpoint != "" {
		name += " " + source.Endpoint
	}
	text := source.Reason
	if text == "" {
		text = string(source.Status)
	}
	switch isNone := source.Endpoint == ""; source.Status {
	case inventory.StatusOK:
		if source.Name == inventory.SourceProcesses {
			text += ", " + human.Number(processes) + " of them"
		}
		return Symptom{name, stateOK, text, ""}
	case inventory.StatusError:
		if hosted && source.IsDenied() {
			return Symptom{name, stateNote, "this user may not ask it" + rootSees, ""}
		}
		return Symptom{name, stateFault, strings.TrimSuffix(text, "; "+source.Remedy), errorRemedy(source)}
	case inventory.StatusAbsent:
		if source.Remedy != "" {
			return Symptom{source.Called(), stateNote, text, source.Remedy}
		}
		if !isNone { // its socket is there
			return Symptom{name, stateNote, text + ": containers are not judged", "start the engine, or set DOCKER_HOST where it is elsewhere"}
		}
		if _, looked, err := docker.Resolve(docker.HostEnvironment()); err == nil && len(looked) > 0 {
			text += ": looked at " + strings.Join(looked, ", ")
		}
		return Symptom{name, stateNote, text, "set DOCKER_HOST where the engine is elsewhere; without one only processes are judged"}
	}
	if hosted {
		return Symptom{name, stateNote, text + rootSees, ""}
	}
	return Symptom{name, stateNote, text, partialRemedy(here(), os.Geteuid(), source.Gaps)}
}

// errorRemedy tells what helps against a source that does not answer.
func errorRemedy(source inventory.Source) string {
	if source.Remedy == "" && source.Name == inventory.SourceDocker {
		return "point DOCKER_HOST or the docker context at an engine that answers"
	}
	return source.Remedy
}

// partialRemedy tells how to get the rest of a source that was read only in part.
func partialRemedy(at place, uid int, gaps []inventory.Gap) string {
	var remedies []string
	switch {
	case uid != 0:
		remedies = append(remedies, "run as root for the whole table")
	case slices.Contains(gaps, inventory.GapDescriptors):
		remedies = append(remedies, remedy{
			unit: "CapabilityBoundingSet=CAP_SYS_PTRACE CAP_DAC_READ_SEARCH", compose: "cap_add: [SYS_PTRACE, DAC_READ_SEARCH] and security_opt: [apparmor:unconfined]",
			kubernetes: "securityContext.capabilities.add: [SYS_PTRACE, DAC_READ_SEARCH]",
		}.at(at))
	}
	if slices.Contains(gaps, inventory.GapServiceManager) {
		remedies = append(remedies, remedy{compose: "volumes: [/run/systemd:/run/systemd:ro]", kubernetes: "a hostPath volume at /run/systemd"}.at(at))
	}
	return strings.Join(slices.DeleteFunc(remedies, func(s string) bool { return s == "" }), betweenRemedies)
}

// runnerSymptoms names the engines whose runners may not all be visible here: a container
// without a visible runner is then unknown, not orphaned.
func runnerSymptoms(s *inventory.Snapshot) []Symptom {
	var symptoms []Symptom
	for _, source := range s.Sources {
		visible, known := source.RunnersVisible.Get()
		if source.Name == inventory.SourceDocker && known && !visible {
			symptoms = append(symptoms, Symptom{"clients of " + source.Endpoint, stateNote,
				"not every docker run of this engine must be visible here, so a container without one is unknown, not orphaned: " + source.Reason,
				"label what you start: --label reaperd.owner=PID:START:BOOT; what only watches the engine: trust: in policies.yaml"})
		}
	}
	return symptoms
}

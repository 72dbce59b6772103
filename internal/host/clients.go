package host

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/scan"
)

// addClients adds who is connected to each engine, and who is attached to each container of
// podman's.
func addClients(seen *inventory.Snapshot, clients scan.Clients) {
	for i := range seen.Sources {
		if source := &seen.Sources[i]; len(source.Sockets) > 0 {
			source.Connections = joined(source.Sockets, clients.Engines)
		}
	}
	for i := range seen.Containers {
		if attached, monitored := clients.Attached[seen.Containers[i].ID]; monitored {
			seen.Containers[i].Attached = attached
		}
	}
}

// joined are the connections to all of an engine's sockets; unreadable where those to one of
// them could not be read.
func joined(sockets []string, engines map[string]inventory.Fact[[]inventory.Connection]) inventory.Fact[[]inventory.Connection] {
	all := []inventory.Connection{}
	for _, socket := range sockets {
		some, known := engines[socket].Get()
		if !known {
			return inventory.Unreadable[[]inventory.Connection]()
		}
		all = append(all, some...)
	}
	return inventory.Known(slices.Clip(all))
}

// tellUnread says which containers run although no engine that answers lists them: their monitors
// are in the process table.
func tellUnread(seen *inventory.Snapshot) {
	listed := map[string]bool{}
	for i := range seen.Containers {
		listed[seen.Containers[i].ID] = true
	}
	unread := map[string]map[string]bool{}
	for i := range seen.Processes {
		p := &seen.Processes[i]
		if id, monitor := p.Monitors(); monitor && id != "" && !listed[id] && p.Alive() {
			program := monitorOf(p.Args())
			if unread[program] == nil {
				unread[program] = map[string]bool{}
			}
			unread[program][id] = true
		}
	}
	for program, why := range map[string]string{
		inventory.ProgramPodman: "podman runs %s, and its API service does not answer: systemctl enable --now podman.socket, with --user for those of a user",
		"containerd":            "containerd runs %s for nerdctl or ctr, whose engine no Docker answers for; reaperd reads Docker and podman",
	} {
		if n := len(unread[program]); n > 0 && !slices.ContainsFunc(seen.Sources, func(s inventory.Source) bool { return s.Program == program && s.Status != inventory.StatusAbsent }) {
			reason, remedy, _ := strings.Cut(fmt.Sprintf(why, human.Plural(n, "container")), ": ")
			absent := inventory.Source{Name: inventory.SourceDocker, Program: program, Status: inventory.StatusAbsent, Reason: reason, Remedy: remedy}
			seen.Sources = append(slices.DeleteFunc(seen.Sources, isNoEngine), absent)
		}
	}
}

// isNoEngine reports the source that says that no engine was found.
func isNoEngine(s inventory.Source) bool {
	return s.Name == inventory.SourceDocker && s.Status == inventory.StatusAbsent && s.Endpoint == "" && s.Program == ""
}

// monitorOf is the program whose container a monitor's arguments are about; "" for Docker's and
// Kubernetes' own.
func monitorOf(args []string) string {
	if path.Base(args[0]) == "conmon" {
		return inventory.ProgramPodman
	}
	at := slices.Index(args, "-namespace")
	if at < 0 || at+1 >= len(args) || args[at+1] == "moby" || args[at+1] == "k8s.io" {
		return ""
	}
	return "containerd"
}

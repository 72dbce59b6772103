package matters

import (
	"strconv"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Names calls name with each PID that a snapshot mentions in environments, in labels of
// containers, as what their engines started in them, and as who is connected to an engine or
// attached to a container. Such a process may live or be gone; only the table tells.
func Names(s *inventory.Snapshot, name func(pid int)) {
	for i := range s.Processes {
		env := s.Processes[i].Env
		nameMark(env["REAPERD_OWNER"], name)
		if number := env["OPENCODE_PID"]; number != "" {
			if pid, err := strconv.Atoi(number); err == nil {
				name(pid)
			}
		}
	}
	for i := range s.Sources {
		nameConnected(s.Sources[i].Connections, name)
	}
	for i := range s.Containers {
		nameConnected(s.Containers[i].Attached, name)
		nameMark(s.Containers[i].Labels["reaperd.owner"], name)
		name(s.Containers[i].PID)
		for _, pid := range s.Containers[i].ExecPIDs {
			name(pid)
		}
	}
}

func nameConnected(connections inventory.Fact[[]inventory.Connection], name func(pid int)) {
	for _, connection := range connections.Or(nil) {
		for _, pid := range connection.PIDs {
			name(pid)
		}
	}
}

func nameMark(text string, name func(pid int)) {
	if text == "" {
		return
	}
	if mark, err := inventory.ParseOwnerMark(text); err == nil {
		name(mark.PID)
	}
}

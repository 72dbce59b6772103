package matters

import (
	"strconv"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Names calls name with each PID that a snapshot mentions in environments, in labels of
// containers, and as what their engines started in them. Such a process may live or be gone; only the table tells.
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
	for i := range s.Containers {
		nameMark(s.Containers[i].Labels["reaperd.owner"], name)
		name(s.Containers[i].PID)
		for _, pid := range s.Containers[i].ExecPIDs {
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

package scan

import (
	"context"
	"fmt"

	"github.com/coreos/go-systemd/v22/dbus"
)

// unitManager is the questions to a service manager.
type unitManager interface {
	ListUnitsByPatternsContext(ctx context.Context, states, patterns []string) ([]dbus.UnitStatus, error)
	GetUnitTypePropertyContext(ctx context.Context, unit, unitType, property string) (*dbus.Property, error)
}

// addMainProcesses asks one manager for the main processes of its services and
// adds them by PID. A unit that has gone meanwhile, or has no main process, is
// left out; one that could not be asked is an error.
func addMainProcesses(ctx context.Context, manager unitManager, into map[int]string) error {
	states := []string{"active", "activating", "reloading", "deactivating"}
	units, err := manager.ListUnitsByPatternsContext(ctx, states, []string{"*.service"})
	if err != nil {
		return fmt.Errorf("list units: %w", err)
	}
	var failed error
	for _, unit := range units {
		property, err := manager.GetUnitTypePropertyContext(ctx, unit.Name, "Service", "MainPID")
		if err != nil {
			failed = fmt.Errorf("unit %s: %w", unit.Name, err)
			continue
		}
		if pid, ok := property.Value.Value().(uint32); ok && pid > 0 {
			into[int(pid)] = unit.Name
		}
	}
	return failed
}

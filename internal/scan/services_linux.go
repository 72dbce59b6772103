package scan

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	systemd "github.com/coreos/go-systemd/v22/dbus"
	"github.com/godbus/dbus/v5"

	"github.com/reaperd/reaperd/internal/inventory"
)

// serviceTimeout limits how long all service managers together may take.
const serviceTimeout = time.Second

// gapOfServices is the gap that is left when services could not be asked.
func gapOfServices(err error) inventory.Gap {
	if errors.Is(err, errNoSystemd) {
		return inventory.GapServiceManager
	}
	return inventory.GapServices
}

// errNoSystemd means that systemd's folder is missing: systemd does not run, or this
// is a container without its host's folder.
var errNoSystemd = errors.New("systemd runs here, and its folder /run/systemd is missing here: a container needs it mounted")

// mainProcesses maps the main process of every running systemd service to its unit:
// those of the system manager and of user managers, every user's for root and else
// the own one. If systemd is not found, the error is [errNoSystemd]. Answers count
// even if another manager did not answer.
func mainProcesses(ctx context.Context, root bool) (map[int]string, error) {
	if _, err := os.Stat("/run/systemd/system"); err != nil {
		return nil, errNoSystemd
	}
	ctx, cancel := context.WithTimeout(ctx, serviceTimeout)
	defer cancel()
	units := map[int]string{}
	var failed []error
	if err := ask(ctx, units, systemManager); err != nil {
		failed = append(failed, fmt.Errorf("systemd: %w", err))
	}
	for _, directory := range userManagers(root) {
		err := ask(ctx, units, func(ctx context.Context) (*systemd.Conn, error) { return userManager(ctx, directory) })
		if err != nil {
			failed = append(failed, fmt.Errorf("systemd of user %s: %w", filepath.Base(directory), err))
		}
	}
	return units, errors.Join(failed...)
}

func ask(ctx context.Context, units map[int]string, connect func(context.Context) (*systemd.Conn, error)) error {
	manager, err := connect(ctx)
	if err != nil {
		return err
	}
	defer manager.Close()
	return addMainProcesses(ctx, manager, units)
}

// systemManager connects to systemd itself, which only root may, else through
// the system bus.
func systemManager(ctx context.Context) (*systemd.Conn, error) {
	if manager, err := systemd.NewSystemdConnectionContext(ctx); err == nil {
		return manager, nil
	}
	return systemd.NewSystemConnectionContext(ctx)
}

// userManagers are the runtime directories of users with a running manager.
func userManagers(root bool) []string {
	pattern := "/run/user/" + strconv.Itoa(os.Getuid())
	if root {
		pattern = "/run/user/*"
	}
	sockets, _ := filepath.Glob(pattern + "/systemd/private")
	directories := make([]string, len(sockets))
	for i, socket := range sockets {
		directories[i] = filepath.Dir(filepath.Dir(socket))
	}
	return directories
}

// userManager connects to a user's manager itself, else through the user's bus.
func userManager(ctx context.Context, directory string) (*systemd.Conn, error) {
	manager, err := systemd.NewConnection(func() (*dbus.Conn, error) {
		return dial(ctx, filepath.Join(directory, "systemd/private"))
	})
	if err == nil {
		return manager, nil
	}
	return systemd.NewConnection(func() (*dbus.Conn, error) {
		conn, err := dial(ctx, filepath.Join(directory, "bus"))
		if err != nil {
			return nil, err
		}
		if err := conn.Hello(); err != nil {
			conn.Close()
			return nil, err
		}
		return conn, nil
	})
}

func dial(ctx context.Context, socket string) (*dbus.Conn, error) {
	conn, err := dbus.Dial("unix:path="+socket, dbus.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	if err := conn.Auth([]dbus.Auth{dbus.AuthExternal(strconv.Itoa(os.Getuid()))}); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

package scan

import (
	"cmp"
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
	for _, manager := range managers(root) {
		if err := manager.ask(ctx, units); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", manager.name, err))
		}
	}
	return units, errors.Join(failed...)
}

// manager is a service manager: its own address, which only its user may use, and the bus
// on which it is too.
type manager struct{ name, private, bus string }

// managers are the system's and those of users: every user's for root, else the own one.
func managers(root bool) []manager {
	bus := cmp.Or(os.Getenv("DBUS_SYSTEM_BUS_ADDRESS"), "unix:path=/var/run/dbus/system_bus_socket")
	all := []manager{{"systemd", "unix:path=/run/systemd/private", bus}}
	pattern := "/run/user/" + strconv.Itoa(os.Getuid())
	if root {
		pattern = "/run/user/*"
	}
	sockets, _ := filepath.Glob(pattern + "/systemd/private")
	for _, socket := range sockets {
		folder := filepath.Dir(filepath.Dir(socket))
		all = append(all, manager{"systemd of user " + filepath.Base(folder), "unix:path=" + socket, "unix:path=" + folder + "/bus"})
	}
	return all
}

func (m manager) ask(ctx context.Context, units map[int]string) error {
	conn, err := systemd.NewConnection(func() (*dbus.Conn, error) { return dial(ctx, m.private, false) })
	if err != nil {
		conn, err = systemd.NewConnection(func() (*dbus.Conn, error) { return dial(ctx, m.bus, true) })
	}
	if err != nil {
		return err
	}
	defer conn.Close()
	return addMainProcesses(ctx, conn, units)
}

// dial connects to a manager, or to a bus, on which one says hello.
func dial(ctx context.Context, address string, isBus bool) (*dbus.Conn, error) {
	conn, err := dbus.Dial(address, dbus.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	err = conn.Auth([]dbus.Auth{dbus.AuthExternal(strconv.Itoa(os.Getuid()))})
	if err == nil && isBus {
		err = conn.Hello()
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

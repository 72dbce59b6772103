package install

import "github.com/reaperd/reaperd/internal/human"

// scope reports whether the service is for the whole host. A dry run shows that one to everybody.
func (c *installer) scope() (system bool, err error) {
	root := c.machine.uid == 0
	switch {
	case c.lacksRoot() && !c.DryRun:
		return false, c.needsRoot(human.Misused)
	case c.User && root:
		return false, human.Misused("reaperd "+c.verb+"   as root, for the whole host; reaperd "+c.verb+" --user   as the user whose sessions they are", "root's own user service would see no more than root's servers")
	}
	return root || c.Host, nil
}

// lacksRoot reports that the service is root's, which this user may only be shown.
func (c *installer) lacksRoot() bool { return c.Host && c.machine.uid != 0 }

// needsRoot is the error of [installer.lacksRoot], as failure makes one.
func (c *installer) needsRoot(failure func(hint, format string, args ...any) error) error {
	return failure("sudo reaperd "+c.verb+" --system", "a service of the whole host needs root")
}

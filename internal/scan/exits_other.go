//go:build !linux && !darwin

package scan

import (
	"errors"

	"github.com/reaperd/reaperd/internal/inventory"
)

// canWatch: reaperd knows no handle of this system.
func canWatch() error { return errors.ErrUnsupported }

func openExit(inventory.ID) (int, error) { return -1, errors.ErrUnsupported }

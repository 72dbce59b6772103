//go:build !linux && !darwin

package scan

import (
	"errors"

	"github.com/reaperd/reaperd/internal/inventory"
)

// kernel watches nothing: reaperd knows no handle of this system.
type kernel struct{}

type watch struct{}

func openKernel(func(inventory.ID, watch)) (*kernel, error) { return nil, errors.ErrUnsupported }

func (k *kernel) watch(inventory.ID) (watch, error) { return watch{}, errors.ErrUnsupported }

func (k *kernel) forget(watch) {}

func (k *kernel) close() {}

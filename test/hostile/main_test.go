//go:build linux

package hostile_test

import (
	"testing"

	"github.com/reaperd/reaperd/test/farm"
)

func TestMain(m *testing.M) { farm.MainOf(m, 3) }

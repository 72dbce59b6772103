//go:build !linux && !darwin

package scan

// Scanner looks at the process table.
type Scanner = Portable

// New returns a scanner of the system's own process table.
func New(options Options) (*Scanner, error) { return &Scanner{options: options}, nil }

// BootID names this boot of the host as snapshots do; "" if that is not known.
func BootID() string { return portableBootID() }

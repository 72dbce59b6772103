package status

import "github.com/reaperd/reaperd/internal/serve"

// Health says in one line how a daemon is that lives. faults are those of its state
// directory. acts is
// false if it acts on nothing until somebody mends something; a restart mends nothing
// then.
func Health(h serve.Health, faults []string) (text string, acts bool) {
	is := h.State
	if is == nil { // a port tells no more
		is = &serve.State{Ready: h.NotReady == "", NotReady: h.NotReady}
	}
	switch {
	case !Acts(is, faults):
		return "alive, but NOT WELL: " + whyNot(is, faults), false
	case isRefused(is.Policy):
		return "healthy, but " + refused + ": that" + moment(" of ", is.Policy.ReadAt) + " holds", true
	}
	return "healthy", true
}

// Acts reports whether the daemon acts on what is due, as far as it and the state
// directory are in order. A pause does not count.
func Acts(is *serve.State, faults []string) bool { return is.Ready && len(faults) == 0 }

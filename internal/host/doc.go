// Package host takes one look at this host: it joins the process table, the engines and what
// the clients are configured to start into one [inventory.Snapshot].
//
// whole.go says which processes are read whole, configuration.go when the clients' files are
// read again. What acts on a plan asks the same [Host] again (acting.go). A Host is for one
// goroutine, apart from what acting asks of it. Hosts of several policies
// ([Host.Under]) share one process table; only one of them may look at a time.
package host

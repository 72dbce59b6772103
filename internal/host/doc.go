// Package host takes one look at this host: it joins the process table ([scan]),
// the engines ([docker]) and what the clients are configured to start
// ([discover]) into one [inventory.Snapshot], and reads the pins that hold then.
//
// It decides three things, each in a file of its own:
//
//   - which processes are read whole (whole.go): reading everything of every
//     process would cost twenty times as much;
//   - when the clients' configuration is read again (configuration.go);
//   - when the process table is read a second time within a look (host.go): the
//     sessions that it shows may bring configurations that name further servers.
//
// What acts on a plan asks the same [Host] again: for one process, one container,
// the bare process table, and to end a container (acting.go).
//
// A Host is for one goroutine, apart from what acting asks of it and
// [Host.PinnedNow]. Hosts of several policies ([Host.Under]) share one process
// table, one set of engines and the pins; only one of them may look at a time.
package host

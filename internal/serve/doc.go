// Package serve shows over HTTP what the daemon last saw: metrics, health, the
// report of the last sweep, the tree of what runs and a page that shows it live. It
// is read-only: nothing that acts is reachable here, and nothing here decides about
// what runs on the host.
//
// After each sweep the daemon hands an [Update] to [Metrics.Publish]. A scrape
// sees the world of one update, never half of two. Requests come in over two
// endpoints of one [Server]:
//
//   - a TCP port, 127.0.0.1:9723 unless another is asked for, for metrics and
//     health. Any user of the host can read a loopback port, so that it carries
//     nothing else. It answers to loopback names only: no web page can read it by
//     rebinding a name. A connection that never finishes its request shuts nobody
//     out: a new one takes its place.
//   - a Unix socket of mode 0600 in the state directory, which carries all of it.
//     The tool asks there, by [Status], [Report] and [Tree]; a [Visit] brings it to
//     one browser of the same user.
//
// Who wants to hear of each look opens a stream ([Listen]). It tells that there was
// one and nothing more: a listener asks for what it wants to know, so that one who
// is slow costs neither memory nor time, and is dropped.
//
// Labels are bounded: they hold no PID, no argument and no path, the names of
// clients come from the catalogue and the policy, and beyond [MaxClients] of them
// the rest is "other". A gauge that was shown once goes to 0 when what it counts
// is gone, never absent, so that an alert sees it come and go; for the same
// reason counters begin at 0 for every value known beforehand.
//
// Every metric is made from the one list that [Describe] returns. No other
// package knows client_golang.
package serve

// Package mac runs reaperd on a Mac that is played: the worlds of the farm, and
// the published reports from Macs, through the scanner of macOS, the graph, the
// policy and the reaper, with a played kernel below (test/mac/darwintest)
// that records every signal.
//
// The worlds are those that package farm raises from real processes on Linux, row
// for row: what must be reaped and what must stay is written once. Where Linux
// has what a Mac has not (a subreaper, a process whose first thread has exited), a
// row names what is different.
//
// Nothing here touches a process of this machine.
package mac

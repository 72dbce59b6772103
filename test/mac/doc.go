// Package mac runs reaperd on a Mac that is played: the worlds of the farm, and the published
// reports from Macs, through the scanner of macOS, the graph, the policy and the reaper, with a
// played kernel below (darwintest) that records every signal. No process of this machine is
// touched.
//
// Where Linux has what a Mac has not (a subreaper, a process whose first thread has exited), a
// row names what is different.
package mac

// Package inventory holds the values of one look: processes, containers, and how well
// each source could be read. A [Snapshot] is a pure value. The package reads neither
// the host nor the clock.
//
//	rule                                 how it shows
//	an unknown fact is not guessed       [Fact]: not recorded (left out of the file), unreadable (null) or known
//	  not recorded                       is no evidence, for or against
//	  unreadable                         matches no condition
//	a PID is not an identity             a process is named by its [ID] (PID and start mark), a container by its full id
//	a failed source is not an empty one  [Source] says how it was read; what depends on a failed source is unknown
//
// Snapshots are saved as versioned JSON ([Read], [Write]), for bug reports and as
// fixtures of tests. [Read] refuses what no host can have produced (a PID twice, a
// process that is its own ancestor) and limits what a hostile file can cost.
package inventory

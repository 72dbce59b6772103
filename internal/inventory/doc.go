// Package inventory holds what was seen: processes, containers, and how well
// each source could be read. A [Snapshot] is a pure value; nothing in here looks
// at the host or at the clock.
//
// Three rules hold everywhere:
//
//   - What is not known is not guessed. An optional fact is a [Fact]: not
//     recorded (left out of the file), unreadable (null), or known. A fact that
//     was left out neither proves nor vetoes anything; one that could not be
//     read matches nothing.
//   - A PID is not an identity. Across two readings a process is named by its
//     [ID], PID plus the system's own start mark; a container by its full id.
//   - A source that could not be read is not an empty one. Each [Source] says
//     how it was read, and what rests on a source that failed is unknown.
//
// Snapshots are saved as versioned JSON ([Read], [Write]): the attachment of a
// bug report and the fixture of a test. Reading refuses what no host can have
// produced (a PID twice, a process that is its own ancestor) and bounds what a
// hostile file can cost.
package inventory

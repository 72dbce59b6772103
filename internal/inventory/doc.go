// Package inventory holds the values of one look: processes, containers, and how well each
// source could be read. A [Snapshot] is pure, and saved as versioned JSON ([Read], [Write]).
//
//	a fact that is unknown is not guessed   [Fact]: known, unreadable (null), or not recorded (left out)
//	a PID is not an identity                [ID] is PID and start mark; a container has its full id
//	a failed source is not an empty one     [Source] says how it was read
//
// [Read] refuses what no host can have produced, and limits what a hostile file can cost.
package inventory

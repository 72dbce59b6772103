// Package history tells from the journal what was done: which acts, what came of
// them, why, and what they freed.
//
// The journal has an entry before each act and one after it. [Read] joins them
// into one [Act] each. An act without an outcome is unfinished: reaperd was ended
// in between, or is at it. [Sums] and days count acts; [History.Write],
// [History.WriteDays] and [History.JSON] show them.
//
// That the journal does not name something proves only that reaperd did not touch
// it where nothing is missing from the journal. [Missing] says what may be, and
// words an answer accordingly.
package history

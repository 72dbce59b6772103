// Package wrap puts `reaperd exec` in front of the servers in a client's configuration, and
// takes it away again. It changes a file at byte positions only, so that comments and order stay:
//
//	bytes → discover.Entries → entries → edits → bytes
//
// Before anything is written, package discover reads the changed text: every server must be the
// intended one. What has an address is never changed.
package wrap

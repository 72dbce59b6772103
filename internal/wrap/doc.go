// Package wrap puts `reaperd exec` in front of the servers in a client's
// configuration, and takes it away again. It changes a file at byte positions only,
// so comments, order, indentation, line ends and a byte order mark stay:
//
//	bytes → document (json.go, toml.go, yaml.go) → entries → edits → bytes
//
// The parsers of go-toml and yaml.v3 report positions. No maintained library does so
// for JSON5; json.go is a scanner for it, and reads JSON with comments too. As a
// check against wrong positions, the changed text is read with package discover's
// parsers, which are independent, before anything is written: every server must be
// the one that was intended.
//
// An entry with an address is never changed. An entry that cannot be changed in place
// is reported.
package wrap

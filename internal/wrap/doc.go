// Package wrap puts `reaperd exec` in front of the servers in a client's
// configuration, and takes it away again. It changes a file at byte positions only,
// so comments, order, indentation, line ends and a byte order mark stay:
//
//	bytes → document (json.go, toml.go, yaml.go) → entries → edits → bytes
//
// The parsers of go-toml and yaml.v3 report positions. No maintained library does so for
// JSON5; json.go is a scanner for it, which also reads JSON with comments. Before
// anything is written, package discover reads the changed text with parsers of its own:
// every server must be the intended one. This check finds wrong positions.
//
// An entry with an address is never changed. An entry that cannot be changed in place
// is reported.
package wrap

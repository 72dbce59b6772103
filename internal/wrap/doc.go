// Package wrap puts `reaperd exec` in front of the servers of a client's
// configuration, and takes it away again.
//
// A file is changed at byte positions and nowhere else, so comments, order,
// indentation, line ends and a byte order mark stay as they are:
//
//	bytes → document (json.go, toml.go, yaml.go) → entries → edits → bytes
//
// The parsers of go-toml and yaml.v3 give the positions. No kept library gives
// those of JSON5, so there is a scanner for it, which reads JSON with comments
// too. Whatever a position might get wrong is found before a byte is written:
// [Check] reads the changed text with discover's parsers, which are others, and
// every server has to be what was meant.
//
// An entry that is spoken to at an address is never touched, nor one that is
// written in a way that cannot be changed in place; the latter is said.
package wrap

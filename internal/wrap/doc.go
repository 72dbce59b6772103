// Package wrap puts `reaperd exec` in front of the servers in a client's configuration, and
// takes it away again. It changes a file at byte positions only, so that comments and order stay:
//
//	bytes → document (json.go, toml.go, yaml.go) → entries → edits → bytes
//
// json.go is a scanner of its own for JSON5, since no maintained library reports positions in
// it. Before anything is written, package discover reads the changed text with other parsers:
// every server must be the intended one. What has an address is never changed.
package wrap

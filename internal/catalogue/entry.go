package catalogue

import (
	"slices"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Client is everything that is known of one agent client: its processes, the forms in
// which it serves, and the files that name its servers. A field that is left out
// matches nothing.
type Client struct {
	Name string

	// Programs are the base names of the program or of its script; a script
	// must have no ending or lie in a bin folder. A * at the end stands for
	// anything.
	Programs []string
	// Bins are like Programs, but only for scripts: native programs of others may
	// have these names.
	Bins []string
	// Titles are the texts that the program writes over argv[0]; like Programs.
	Titles []string
	// Scripts are parts of the paths of its scripts.
	Scripts []string
	// Homes are parts of the paths of folders that hold the client's versions; the
	// program there is named by its version.
	Homes []string
	// Files are complete paths of scripts.
	Files []string
	// Except are parts of the paths of other programs with the same name.
	Except []string
	// Parts are parts of the paths of scripts that only run below a process of this
	// client: its launcher starts them over pipes of its own.
	Parts []string

	// Helpers are forms in which it is no session but serves the client's sessions, Daemons
	// those of them that run without any session. HelperScripts are ends of the paths of
	// scripts that are helpers.
	Helpers, Daemons []Form
	HelperScripts    []string
	// Adapts is the client that it starts and speaks for: the two are one session.
	Adapts string
	// NoRestart: it does not start a server again that has ended.
	NoRestart bool

	// Resume is the command that continues one of its sessions in a new one, typed in
	// the session's folder; "" if it is not known.
	Resume string

	When     []Form  // tell it from another program of its name; nil if there is none
	Values   string  // flags that take a value, in front of its subcommands
	Serves   []Serve // forms in which it is no session
	Headless []Form  // forms in which another program speaks to it over stdio
	Desktop  []Desktop
	Configs  []Config
}

// Form is one way to call a program. Every field that is set must hold.
type Form struct {
	// Command is the first words behind the flags: "mcp serve". "acp|serve" is any of
	// these words, * any word.
	Command string
	Bare    bool // there is no word at all
	Alone   bool // no word follows the command
	// Flag is a flag that is given: "--acp", "--input-format=stream-json". It
	// may be any of several; a value ends in * where more may follow.
	Flag    string
	Without string // a flag that is not given
}

// Serve is a form in which a client's program is a server or a gateway.
type Serve struct {
	Form
	Role inventory.Role
	Name string // a * in it is replaced by the last word of the command
}

// Desktop is a desktop client: one program with many helper processes. Only those
// that start servers are sessions.
type Desktop struct {
	Bundle   string   // the bundle's name on macOS: Cursor is Cursor.app
	Main     string   // the program inside it; left out: like the bundle
	Programs []string // base names elsewhere
	Folders  []string // parts of the paths of its remote servers
	Helpers  []string // programs beside it that start servers
}

// Config is a file that names the servers of a client.
type Config struct {
	// File is its path below a home or a project. The last part may be a pattern:
	// ".continue/mcpServers/*.yaml".
	File    string
	Project bool // it lies in a project, not in the home
	Format  Format
	// Tables are the paths of the tables of servers, with a / between keys. A * is
	// any key, which is then the folder of the servers below it. "." is the document
	// itself: one server, named like the file.
	Tables []string
}

// Format is the format of a configuration.
type Format uint8

// The formats. JSON may have comments and trailing commas.
const (
	JSON Format = iota
	JSON5
	TOML
	YAML
)

// Gateway is a program that starts servers of its own and offers them to others.
type Gateway struct {
	Name string
	// Programs are names as [Catalogue.Program] gives them.
	Programs []string
	Values   string // flags that take a value
	// When are the forms in which it is a gateway; nil means always. In any other
	// form it is a server: a bridge to one address starts nothing.
	When []Form
}

// Clients are the built-in clients.
func Clients() []Client { return slices.Clone(clients) }

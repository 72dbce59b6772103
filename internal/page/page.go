package page

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"io"
	"time"

	g "maragu.dev/gomponents"

	"github.com/reaperd/reaperd/internal/overview"
)

//go:embed page.css
var style string

//go:embed page.js
var script []byte

// The paths under which a daemon serves the page's documents.
const (
	Path       = "/{$}"
	PartPath   = "/part"    // what a look changes, for the script
	ThingPath  = "/thing"   // one node, by ?key=
	ScriptPath = "/page.js" // the script
	LivePath   = "/live"    // server-sent events: one a look
)

// Page writes the documents. Its methods may be called from several goroutines.
type Page struct{ policy string }

// New works out the policy of the documents.
func New() *Page {
	sum := sha256.Sum256([]byte(style))
	return &Page{
		policy: "default-src 'none'; script-src 'self'; connect-src 'self'; form-action 'self'; style-src 'sha256-" +
			base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; frame-ancestors 'none'",
	}
}

// Policy is the Content-Security-Policy of every document: this style, scripts and
// answers of this address, and nothing else.
func (p *Page) Policy() string { return p.policy }

// Script is the page's script.
func Script() []byte { return script }

// Input is what the page shows.
type Input struct {
	Tree   overview.Tree
	Status Status
	Now    time.Time
	// Location is the zone of the times shown; nil is UTC.
	Location *time.Location
	// Filter chooses nodes by a text in their name, command, folder or PID; empty
	// chooses all.
	Filter string
}

// Status is what the daemon says of itself.
type Status struct {
	Version   string
	PID       int
	StartedAt time.Time
	NotReady  string // why it is not; empty is ready
	Policy    string // the file, or "built-in"; empty is none
	SHA256    string
	Faults    []string // of the policy that was read last
	Pins      int
	LastSweep string // one sentence; empty is none yet
}

// Whole writes the page. As with the other documents, an error is w's.
func (p *Page) Whole(w io.Writer, in Input) error { return write(w, wholeDocument(newView(in))) }

// Part writes what a look changes.
func (p *Page) Part(w io.Writer, in Input) error { return write(w, livePart(newView(in))) }

// ErrGone is returned, before anything is written, for a node that is not in the tree.
var ErrGone = errors.New("it is not there any more")

// Thing writes the document of one node.
func (p *Page) Thing(w io.Writer, in Input, key string) error {
	about, found := newAbout(in, key)
	if !found {
		return ErrGone
	}
	return write(w, thingDocument(about))
}

// pieceSize is how much of a document is handed on at once, in bytes. A browser shows
// the first pieces of a long one while the others are written.
const pieceSize = 8 << 10

func write(w io.Writer, markup g.Node) error {
	pieces := bufio.NewWriterSize(w, pieceSize)
	if err := markup.Render(legible{pieces}); err != nil {
		return err
	}
	return pieces.Flush()
}

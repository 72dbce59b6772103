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

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/overview"
)

//go:embed page.css
var style string

//go:embed page.js
var script string

// The paths under which a daemon serves the page's documents.
const (
	Path      = "/{$}"
	PartPath  = "/part"  // the part that changes with a look, for the script
	ThingPath = "/thing" // one node, by ?key=
	LivePath  = "/live"  // server-sent events: one for each look
)

// Page writes the documents. Its methods may be called from several goroutines.
type Page struct{ policy string }

// New computes the Content-Security-Policy of the documents.
func New() *Page {
	return &Page{
		policy: "default-src 'none'; script-src " + hash(script) + "; connect-src 'self'; form-action 'self'; style-src " + hash(style) +
			"; base-uri 'none'; frame-ancestors 'none'",
	}
}

// hash names a text in a Content-Security-Policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Policy is the Content-Security-Policy of every document. It allows the page's own
// style and script, which are part of the document, and requests to its own address.
func (p *Page) Policy() string { return p.policy }

// Input is everything that the page shows.
type Input struct {
	// Look is the number of the tree's look. The script asks for the live part when it
	// hears of a look with another number.
	Look   string
	Tree   overview.Tree
	Status Status
	Now    time.Time
	// Location is the time zone of the page; nil is UTC.
	Location *time.Location
	Home     human.Home // the reader's, as far as the daemon knows: its own user's
	// Filter selects nodes by a text in their name, command, folder or PID; empty selects
	// all.
	Filter string
}

// Status is the state of the daemon.
type Status struct {
	Version    string
	PID        int
	StartedAt  time.Time
	NotReady   string // why it is not ready; empty if it is
	Policy     string // the file, or "built-in"; empty if there is none
	SHA256     string
	ModeFrom   string   // what set the mode over that of the policy; empty if nothing did
	Faults     []string // of the policy that was read last
	// RefusedFile is the file with the faults; empty if that is not known.
	RefusedFile string
	Pins        int
	LastSweep   string // one sentence; empty before the first sweep
}

// Whole writes the page. Of a page with many things it calls pause once the first screen
// is written, before the rest is worked out. An error of Whole, Part or Thing comes from w.
func (p *Page) Whole(w io.Writer, in Input, pause func()) error {
	v := newView(in)
	if in.Tree.Totals.Things() > manyThings {
		v.pause = pause
	}
	return write(w, wholeDocument(v))
}

// manyThings is how many servers and containers a browser reads in less time than it
// needs for its first picture.
const manyThings = 100

// Part writes the part that changes with a look.
func (p *Page) Part(w io.Writer, in Input) error { return write(w, livePart(newView(in))) }

// ErrGone means that a node is not in the tree; nothing has been written. [Page.Gone] writes what
// is known of it.
var ErrGone = errors.New("it is not there any more")

// Thing writes the document of one node.
func (p *Page) Thing(w io.Writer, in Input, key string) error {
	about, found := newAbout(in, key)
	if !found {
		return ErrGone
	}
	return write(w, thingDocument(about))
}

// Gone writes the document of a node that is not in the tree: which it was, and how it ended, where
// that is known.
func (p *Page) Gone(w io.Writer, in Input, key string) error {
	return write(w, goneDocument(newFarewell(in, key)))
}

// pieceSize is the size of the pieces in which a document is written, in bytes.
const pieceSize = 32 << 10

func write(w io.Writer, markup g.Node) error {
	pieces := bufio.NewWriterSize(w, pieceSize)
	if err := markup.Render(legible{pieces}); err != nil {
		return err
	}
	return pieces.Flush()
}

// endFirstScreen sends what is written so far, and pauses: a browser shows it while the
// rest is still being written.
func (v view) endFirstScreen(w io.Writer) error {
	if l, ok := w.(legible); ok {
		if err := l.to.Flush(); err != nil {
			return err
		}
	}
	if v.pause != nil {
		v.pause()
	}
	return nil
}

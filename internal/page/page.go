package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"time"
	"unicode/utf8"

	g "maragu.dev/gomponents"

	"github.com/reaperd/reaperd/internal/human"
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

// Whole is the page.
func (p *Page) Whole(in Input) ([]byte, error) { return written(wholeDocument(newView(in))) }

// Part is what a look changes.
func (p *Page) Part(in Input) ([]byte, error) { return written(livePart(newView(in))) }

// ErrGone is returned for a node that is not in the tree.
var ErrGone = errors.New("it is not there any more")

// Thing is the document of one node.
func (p *Page) Thing(in Input, key string) ([]byte, error) {
	about, found := newAbout(in, key)
	if !found {
		return nil, ErrGone
	}
	return written(thingDocument(about))
}

func written(markup g.Node) ([]byte, error) {
	var document bytes.Buffer
	if err := markup.Render(&document); err != nil {
		return nil, err
	}
	return bytes.Map(visible, document.Bytes()), nil
}

// visible is a character of a document: "?" for one that shows as nothing and may
// turn the text around it.
func visible(r rune) rune {
	if r == utf8.RuneError || r < ' ' && r != '\n' && r != '\t' || human.IsInvisible(r) {
		return '?'
	}
	return r
}

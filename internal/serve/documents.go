package serve

import (
	"errors"
	"net/http"
	"os"
	"time"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/page"
)

// routePage adds the page's documents.
func (s *Server) routePage(mux *http.ServeMux) {
	mux.HandleFunc(page.Path, s.document(func(w http.ResponseWriter, in page.Input, r *http.Request) error {
		return s.page.Whole(w, in, func() { giveHeadStart(w, r) })
	}))
	mux.HandleFunc(page.PartPath, s.document(func(w http.ResponseWriter, in page.Input, _ *http.Request) error { return s.page.Part(w, in) }))
	mux.HandleFunc(page.ThingPath, s.document(s.thing))
	mux.HandleFunc(page.LivePath, s.live)
}

// thing answers with the document of one node, or of one that is no more.
func (s *Server) thing(w http.ResponseWriter, in page.Input, r *http.Request) error {
	key := r.URL.Query().Get("key")
	err := s.page.Thing(w, in, key)
	if errors.Is(err, page.ErrGone) {
		w.WriteHeader(http.StatusNotFound)
		return s.page.Gone(w, in, key)
	}
	return err
}

// document answers with a document of the page, which is sent while it is written.
func (s *Server) document(write func(http.ResponseWriter, page.Input, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", s.page.Policy())
		_ = write(w, s.pageInput(r), r) // an error is that who asked has gone
	}
}

// headStart is how long a browser has for its first picture of a long page before the rest
// arrives, which it would read first. That is three pictures of a screen.
const headStart = 50 * time.Millisecond

// giveHeadStart sends what is written, and waits.
func giveHeadStart(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).Flush() // an error shows at the next write
	select {
	case <-time.After(headStart):
	case <-r.Context().Done():
	}
}

// maxFilter is how much of what somebody looks for is read, in bytes.
const maxFilter = 200

func (s *Server) pageInput(r *http.Request) page.Input {
	filter := r.URL.Query().Get("q")
	look := s.options.Metrics.audience.look() // before the tree, which is of this look or a later one
	return page.Input{
		Look: look, Tree: s.tree(), Status: s.pageStatus(), Now: s.options.Metrics.now(), Location: time.Local, Home: s.options.Home,
		Filter: filter[:min(len(filter), maxFilter)],
	}
}

func (s *Server) pageStatus() page.Status {
	is := s.options.Metrics.current()
	status := page.Status{
		Version: is.build.Version, PID: os.Getpid(), StartedAt: is.startedAt,
		Policy: is.policy.Source, SHA256: is.policy.SHA256, Faults: is.policy.Faults, Pins: is.pins,
		ModeFrom: is.modeFrom, RefusedFile: is.policy.RefusedFile,
	}
	if ok, why := s.ready(); !ok {
		status.NotReady = why
	}
	if last := is.last; last != nil {
		took := human.Took(time.Duration(last.DurationSeconds * float64(time.Second)))
		status.LastSweep = "last sweep (" + last.Trigger.Text() + ") took " + took + ": " + string(last.Result)
		if last.Why != "" {
			status.LastSweep += ", " + last.Why
		}
	}
	return status
}

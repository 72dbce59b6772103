package serve

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
)

// The paths of the socket: the interface [account.Asker], of version 1. Any user may ask; each is
// answered about that user's own things.
const (
	helloPath   = "/v1/hello"
	accountPath = "/v1/account" // ?look=1: look first
	followPath  = "/v1/follow"  // an account a line
	explainPath = "/v1/explain" // ?word=
	historyPath = "/v1/history" // ?period=
	recordPath  = "/v1/record"  // ?period=: entries of the journal, a line each
	pinsPath    = "/v1/pins"
	pinPath     = "/v1/pin"
	unpinPath   = "/v1/unpin"
	pausePath   = "/v1/pause"
	resumePath  = "/v1/resume"
	planPath    = "/v1/plan"
	actPath     = "/v1/act" // acts, a line each, and the result
)

// errUnknown refuses what only another version knows.
var errUnknown = errors.New("this daemon knows no such request")

// maxBody is the most that a request may bring, in bytes.
const maxBody = 64 << 10

// Hello is what a daemon says of itself to whoever connects.
type Hello struct {
	PID       int       `json:"pid"`
	UID       int       `json:"uid"`
	Version   string    `json:"version,omitempty"`
	StartedAt time.Time `json:"started_at"`
	// NotReady is why it acts on nothing until something is mended; empty if it acts. Dead is why it
	// does not live, though it answers.
	NotReady string `json:"not_ready,omitempty"`
	Dead     string `json:"dead,omitempty"`
	Listen   string `json:"listen,omitempty"` // the address of its port
}

// wish is the body of a request: of each the fields that it needs.
type wish struct {
	Word  string         `json:"word,omitempty"`
	Words []string       `json:"words,omitempty"`
	Until time.Time      `json:"until,omitzero"`
	Why   string         `json:"reason,omitempty"`
	Order *account.Order `json:"order,omitempty"`
	Plan  string         `json:"plan,omitempty"` // the id of the plan
}

// refusal is an answer that is an error.
type refusal struct {
	Error  string `json:"error"`
	Hint   string `json:"hint,omitempty"`
	Misuse bool   `json:"misuse,omitempty"`
}

// line is the answer to an order to act.
type line struct {
	Result  *account.Result `json:"result,omitempty"`
	Refusal *refusal        `json:"refusal,omitempty"`
}

// desk answers requests over the socket.
type desk struct {
	server *Server
	bounds *bounds
	sent   sent
}

// routeAsked adds the paths of the interface.
func (s *Server) routeAsked(mux *http.ServeMux) {
	d := &desk{server: s, bounds: newBounds()}
	mux.HandleFunc("GET "+helloPath, d.hello)
	mux.HandleFunc("GET "+accountPath, d.answering(1, func(a account.Asker, r *http.Request, _ wish) (any, error) {
		return a.Account(r.Context(), r.URL.Query().Get("look") != "")
	}))
	mux.HandleFunc("GET "+followPath, d.follow)
	mux.HandleFunc("GET "+explainPath, d.answering(costly, func(a account.Asker, r *http.Request, _ wish) (any, error) {
		return a.Explain(r.Context(), r.URL.Query().Get("word"))
	}))
	mux.HandleFunc("GET "+historyPath, d.answering(costly, func(a account.Asker, r *http.Request, _ wish) (any, error) {
		return a.History(r.Context(), periodOf(r))
	}))
	mux.HandleFunc("GET "+recordPath, d.record)
	mux.HandleFunc("GET "+pinsPath, d.answering(1, func(a account.Asker, r *http.Request, _ wish) (any, error) { return a.Pins(r.Context()) }))
	mux.HandleFunc("POST "+pinPath, d.answering(1, func(a account.Asker, r *http.Request, w wish) (any, error) {
		return a.Pin(r.Context(), w.Word, w.Until, w.Why)
	}))
	mux.HandleFunc("POST "+unpinPath, d.answering(1, func(a account.Asker, r *http.Request, w wish) (any, error) { return a.Unpin(r.Context(), w.Words) }))
	mux.HandleFunc("POST "+pausePath, d.answering(1, func(a account.Asker, r *http.Request, w wish) (any, error) {
		return a.Pause(r.Context(), w.Until, w.Why)
	}))
	mux.HandleFunc("POST "+resumePath, d.answering(1, func(a account.Asker, r *http.Request, _ wish) (any, error) { return a.Resume(r.Context()) }))
	mux.HandleFunc("POST "+planPath, d.answering(planned, func(a account.Asker, r *http.Request, w wish) (any, error) {
		if w.Order == nil {
			return nil, human.Misused("", "a plan wants an order")
		}
		return a.Plan(r.Context(), *w.Order)
	}))
	mux.HandleFunc("POST "+actPath, d.act)
	mux.HandleFunc("/v1/", func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusNotFound, errUnknown) })
}

// asker is the decider for whoever has made a request; nil if that was refused.
func (d *desk) asker(w http.ResponseWriter, r *http.Request, cost float64) account.Asker {
	peer := callerOf(r)
	switch {
	case d.server.options.Ask == nil || peer.UID == nobody:
		refuse(w, http.StatusForbidden, errNobody)
	case !d.bounds.spend(peer.UID, cost, time.Now()):
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusTooManyRequests, human.Failed("ask again in a second", "user %d asks too often", peer.UID))
	default:
		return d.server.options.Ask(peer.reader())
	}
	return nil
}

// answering answers with what a question comes to. A costly one waits for its turn.
func (d *desk) answering(cost float64, ask func(account.Asker, *http.Request, wish) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		asker := d.asker(w, r, cost)
		if asker == nil {
			return
		}
		wished, err := wishIn(w, r)
		if err != nil {
			refuse(w, http.StatusBadRequest, err)
			return
		}
		if cost >= costly {
			leave := d.bounds.enter(r.Context(), callerOf(r).UID)
			if leave == nil {
				return
			}
			defer leave()
		}
		unlimited(w)
		result, err := ask(asker, r, wished)
		if err != nil {
			refuse(w, http.StatusConflict, err)
			return
		}
		d.send(w, result)
	}
}

// unlimited lifts the limits of the server from a request that has been read: it may wait for looks. Each
// writing has a limit of its own.
func unlimited(w http.ResponseWriter) {
	control := http.NewResponseController(w)
	_ = errors.Join(control.SetReadDeadline(time.Time{}), control.SetWriteDeadline(time.Time{}))
}

// wishIn reads the body of a request.
func wishIn(w http.ResponseWriter, r *http.Request) (wished wish, err error) {
	if r.Method == http.MethodGet {
		return wished, nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil && len(body) > 0 {
		err = json.Unmarshal(body, &wished)
	}
	if err != nil {
		return wished, human.Misused("", "read the request: %w", err)
	}
	return wished, nil
}

// periodOf is what a history is to be about: all where the request does not say it rightly.
func periodOf(r *http.Request) (p account.Period) {
	_ = json.Unmarshal([]byte(r.URL.Query().Get("period")), &p)
	return p
}

// refuse answers with an error.
func refuse(w http.ResponseWriter, code int, err error) {
	document, _ := json.Marshal(refusalOf(err)) // of texts alone
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(append(document, '\n')) // an error is that who asked has gone
}

func refusalOf(err error) *refusal {
	is := refusal{Error: err.Error()}
	var advised *human.Error
	if errors.As(err, &advised) {
		is.Hint, is.Misuse = advised.Hint, advised.Misuse
	}
	return &is
}

// send answers with a value.
func (d *desk) send(w http.ResponseWriter, value any) {
	document, err := d.sent.of(value)
	if err != nil {
		refuse(w, http.StatusInternalServerError, err)
		return
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(document)
}

func (d *desk) hello(w http.ResponseWriter, r *http.Request) {
	if d.asker(w, r, 1) == nil {
		return
	}
	hello := Hello{PID: os.Getpid(), UID: os.Geteuid(), Version: d.server.options.Build.Version, StartedAt: d.server.since}
	if ok, why := d.server.alive(); !ok {
		hello.Dead = why
	}
	if ok, why := d.server.ready(); !ok {
		hello.NotReady = why
	}
	if port := d.server.port.Load(); port != nil {
		hello.Listen = *port
	}
	d.send(w, hello)
}

// listening has whoever made a request listen for looks, and begins the answer, of lines; nil if that was
// refused. leave undoes it.
func (d *desk) listening(w http.ResponseWriter, r *http.Request) (asker account.Asker, news <-chan struct{}, leave func()) {
	if asker = d.asker(w, r, costly); asker == nil {
		return nil, nil, nil
	}
	audience := &d.server.options.Metrics.audience
	l := audience.join(callerOf(r).UID)
	begin(w)
	return asker, l.news, func() { audience.leave(l) }
}

// begin begins an answer of lines, each a document.
func begin(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	unlimited(w)
}

// follow sends the account of each look until the listener hangs up, is too slow, or is dropped.
func (d *desk) follow(w http.ResponseWriter, r *http.Request) {
	asker, news, leave := d.listening(w, r)
	if asker == nil {
		return
	}
	defer leave()
	for heard := true; heard; heard = awaits(w, r, news) {
		a, err := asker.Account(r.Context(), false)
		if err != nil {
			return
		}
		document, err := d.sent.of(a)
		if err != nil || send(w, string(document)+"\n") != nil {
			return
		}
	}
}

// awaits waits for news, and meanwhile sends empty lines; false if the listener is gone or dropped.
func awaits(w http.ResponseWriter, r *http.Request, news <-chan struct{}) (heard bool) {
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	for {
		select {
		case _, heard = <-news:
			return heard
		case <-beat.C:
			if send(w, "\n") != nil {
				return false
			}
		case <-r.Context().Done():
			return false
		}
	}
}

// record sends entries of the journal until the listener hangs up, is too slow, or is dropped.
func (d *desk) record(w http.ResponseWriter, r *http.Request) {
	asker, news, leave := d.listening(w, r)
	if asker == nil {
		return
	}
	defer leave()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	go func() {
		defer cancel()
		for heard := true; heard; { // looks do not matter here
			select {
			case _, heard = <-news:
			case <-ctx.Done():
				return
			}
		}
	}()
	_ = asker.Record(ctx, periodOf(r).Since, func(entry journal.Entry) { // an error ends the answer
		document, err := json.Marshal(entry)
		if err != nil || send(w, string(document)+"\n") != nil {
			cancel()
		}
	})
}

// act carries out a plan, one of each user at a time, and sends each act as it ends and the result. Acts
// that have begun go on when who asked has gone.
func (d *desk) act(w http.ResponseWriter, r *http.Request) {
	asker := d.asker(w, r, planned)
	if asker == nil {
		return
	}
	wished, err := wishIn(w, r)
	if err == nil && wished.Order == nil {
		err = human.Misused("", "an act wants a plan and its order")
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	leave := d.bounds.begin(r.Context(), callerOf(r).UID)
	if leave == nil {
		return
	}
	defer leave()
	begin(w)
	tell := func(l line) {
		document, _ := json.Marshal(l)
		_ = send(w, string(document)+"\n") // who asked has gone, and the acts go on
	}
	plan := &account.Plan{ID: wished.Plan, Order: *wished.Order}
	result, err := asker.Act(r.Context(), plan)
	if err != nil {
		tell(line{Refusal: refusalOf(err)})
		return
	}
	tell(line{Result: result})
}

// sent has the accounts of the last look as they were sent: a flood of questions writes none twice.
type sent struct {
	mu        sync.Mutex
	looked    time.Time
	documents map[*account.Account][]byte
}

// mostSent is how many it has.
const mostSent = 64

// of is the JSON of a value.
func (s *sent) of(value any) ([]byte, error) {
	a, isAccount := value.(*account.Account)
	if !isAccount {
		return written(value)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if document, known := s.documents[a]; known {
		return document, nil
	}
	document, err := written(a)
	if err != nil {
		return nil, err
	}
	if s.documents == nil || len(s.documents) >= mostSent || !s.looked.Equal(a.TakenAt) {
		s.documents, s.looked = map[*account.Account][]byte{}, a.TakenAt
	}
	s.documents[a] = document
	return document, nil
}

// written is JSON without what steers a terminal.
func written(value any) ([]byte, error) {
	document, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return human.EscapeJSON(document), nil
}

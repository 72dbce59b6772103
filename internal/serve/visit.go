package serve

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync/atomic"
	"time"

	"github.com/reaperd/reaperd/internal/human"
)

// Visit gives one browser what the daemon tells over its socket. The first request with the token is redirected to a
// path that begins with a key, and the token is spent. The page is below that path. Other users of the host can reach the
// port too, and get nothing.
//
// Why the key is in the path: a browser sends a cookie to every port of a host, also to one of another user's; not every
// browser and tool finds a host name of its own for each visit (x7f.localhost); and links and reloads send no header of
// ours. [readOnly] keeps the path out of referrers. The browser's history has it, but the key ends with the command.
type Visit struct {
	token, key string
	spent      atomic.Bool
	proxy      http.Handler
}

// NewVisit makes a visit to the daemon behind the socket.
func NewVisit(socketPath string) *Visit {
	v := &Visit{token: rand.Text(), key: rand.Text()}
	v.proxy = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = "http", "localhost", "localhost"
			r.Out.Header.Del("Cookie") // of others at this address
		},
		Transport:    overUnix(socketPath),
		ErrorHandler: sayUnanswered,
		ErrorLog:     silence(),
	}
	return v
}

// silence drops what Go would write on the terminal about a broken connection: the browser asks again, and the page
// says why it is not live.
func silence() *log.Logger { return log.New(io.Discard, "", 0) }

// sayUnanswered says why there is no page, and what to do, in paragraphs.
func sayUnanswered(w http.ResponseWriter, _ *http.Request, err error) {
	why := reason(err).Error()
	switch err = named(err); {
	case errors.Is(err, ErrNotRunning):
		why = "no daemon runs any more"
	case errors.Is(err, ErrSilent):
		why = "the daemon does not answer"
	}
	w.Header().Set("Refresh", "5") // the browser asks again: the daemon may be back
	say(w, http.StatusBadGateway, why+"\n\nreaperd status   says more; reaperd run   starts it\n\nThis page is asked for again every 5 seconds.")
}

// Path is the path to open, with the token.
func (v *Visit) Path() string { return "/?token=" + v.token }

// Handler answers on a loopback port.
func (v *Visit) Handler() http.Handler {
	door := readOnly(http.HandlerFunc(v.admit))
	return onlyLocalNames(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, below, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		if isReading(r) && same(key, v.key) { // the socket takes orders too, and a page gives none
			_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // a stream has no end
			r.URL.Path, r.URL.RawPath = "/"+below, ""
			v.proxy.ServeHTTP(impatient{w}, r) // the socket sets the headers
			return
		}
		door.ServeHTTP(w, r)
	}))
}

// admit accepts the token, once. The redirect keeps it out of the browser's history.
func (v *Visit) admit(w http.ResponseWriter, r *http.Request) {
	if !same(r.URL.Query().Get("token"), v.token) || !v.spent.CompareAndSwap(false, true) {
		say(w, http.StatusForbidden, "this page opens once, for the address that `reaperd page` printed: run it again for another browser")
		return
	}
	http.Redirect(w, r, "/"+v.key+"/", http.StatusSeeOther)
}

// same compares two keys in constant time, so that the time tells nothing of the key.
func same(given, wanted string) bool {
	return subtle.ConstantTimeCompare([]byte(given), []byte(wanted)) == 1
}

// impatient limits the time in which each piece of an answer must be taken, not that for the whole answer.
type impatient struct{ http.ResponseWriter }

func (w impatient) Write(piece []byte) (int, error) {
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(sendWithin))
	return w.ResponseWriter.Write(piece)
}

// Unwrap lets an http.ResponseController flush.
func (w impatient) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// visitTimeout limits one request of the browser.
const visitTimeout = 15 * time.Second

// Serve serves the browser until ctx ends, which is no error.
func (v *Visit) Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{Handler: v.Handler(), ReadTimeout: visitTimeout, WriteTimeout: 2 * visitTimeout, ErrorLog: silence()}
	defer context.AfterFunc(ctx, func() { server.Close() })()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return human.Failed("", "serve the browser: %w", err)
	}
	return nil
}

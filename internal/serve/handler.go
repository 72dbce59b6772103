package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/page"
)

// The paths that the tool asks for too.
const (
	metricsPath  = "/metrics"
	statusPath   = "/api/v1/status"
	healthPath   = "/healthz"
	readyPath    = "/readyz"
	reportPath   = "/api/v1/report"
	overviewPath = "/api/v1/overview" // private to this program: see package overview
)

// portHandler answers on the TCP port: metrics and health, because every user of the
// host can reach it.
func (s *Server) portHandler(local bool) http.Handler {
	mux := http.NewServeMux()
	s.routeHealth(mux, false)
	for _, path := range privatePaths() {
		mux.HandleFunc(path, refuseToTell)
	}
	if local {
		return readOnly(onlyLocalNames(mux))
	}
	return readOnly(mux)
}

// socketHandler answers everything on the Unix socket, whose mode limits who may ask.
func (s *Server) socketHandler() http.Handler {
	mux := http.NewServeMux()
	s.routeHealth(mux, true)
	mux.HandleFunc(reportPath, s.report)
	mux.HandleFunc(statusPath, s.status)
	mux.HandleFunc(overviewPath, s.overview)
	s.routePage(mux)
	return readOnly(mux)
}

// privatePaths are the socket's paths, which the port refuses with an explanation.
func privatePaths() []string {
	return []string{
		reportPath, statusPath, overviewPath, page.Path, page.PartPath, page.ThingPath, page.LivePath,
	}
}

// routeHealth adds the paths of both endpoints. private means that the caller may see
// the policy's faults, which quote a file.
func (s *Server) routeHealth(mux *http.ServeMux, private bool) {
	metrics := prometheus.GathererFunc(s.options.Metrics.gather)
	mux.Handle(metricsPath, promhttp.HandlerFor(metrics, promhttp.HandlerOpts{EnableOpenMetrics: true}))
	mux.HandleFunc(healthPath, s.health)
	mux.HandleFunc(readyPath, func(w http.ResponseWriter, _ *http.Request) { s.readiness(w, private) })
}

func refuseToTell(w http.ResponseWriter, _ *http.Request) {
	say(w, http.StatusForbidden, "the port carries metrics and health only, because any user of this host can read it: `reaperd status` and `reaperd page` show the rest, and ask over the 0600 socket in the state directory")
}

// readOnly answers only GET and HEAD, with headers that keep a browser from
// interpreting answers.
func readOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Cache-Control", "no-store")
		header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("X-Frame-Options", "DENY")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			header.Set("Allow", "GET, HEAD")
			say(w, http.StatusMethodNotAllowed, "this interface only shows: nothing that acts is reachable over HTTP")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// onlyLocalNames refuses requests for any name but this host's own: a web page could
// otherwise make its own name resolve to loopback.
func onlyLocalNames(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLocalName(r.Host) {
			say(w, http.StatusForbidden, fmt.Sprintf("this port answers to localhost and loopback addresses, not to %q: to be reached by another name, reaperd has to listen on another address", r.Host))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isLocalName reports that a Host header names loopback, with or without a port. An
// empty one is allowed: no browser sends it.
func isLocalName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSuffix(host, "]"), "["), ".")
	if host == "" || strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// say answers with one line of text.
func say(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	io.WriteString(w, text+"\n") // an error is that who asked has gone
}

// userHeader names the user whose daemon answers: any user's daemon may have the
// port.
const userHeader = "Reaperd-User"

func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set(userHeader, strconv.Itoa(os.Geteuid()))
	if ok, why := s.alive(); !ok {
		say(w, http.StatusServiceUnavailable, why)
		return
	}
	say(w, http.StatusOK, "ok")
}

func (s *Server) alive() (ok bool, why string) {
	if s.options.Alive != nil {
		return s.options.Alive()
	}
	return true, ""
}

// readiness says why the daemon is not ready. The policy's faults follow in lines
// below, but only to private callers.
func (s *Server) readiness(w http.ResponseWriter, private bool) {
	ok, why := s.ready()
	if ok {
		say(w, http.StatusOK, "ready")
		return
	}
	policy := s.options.Metrics.current().Policy
	switch {
	case policy.SHA256 != "" || len(policy.Faults) == 0: // one holds
	case private:
		why = strings.Join(append([]string{why}, policy.Faults...), "\n")
	default:
		why += statusShowsThem
	}
	say(w, http.StatusServiceUnavailable, why)
}

// statusShowsThem is for the user whose daemon it is.
const statusShowsThem = "; `reaperd status` shows them"

// ready says whether the daemon acts. One that does not live does not act either.
func (s *Server) ready() (ok bool, why string) {
	if ok, why := s.alive(); !ok {
		return false, why
	}
	if ok, why := s.options.Metrics.Ready(); !ok {
		return false, why
	}
	if s.options.Ready != nil {
		return s.options.Ready()
	}
	return true, ""
}

// errNoReport means that no sweep has finished yet.
var errNoReport = errors.New("no sweep has finished yet")

// lastReport is the JSON of the last sweep.
func (m *Metrics) lastReport() ([]byte, error) {
	m.mu.RLock()
	encode := m.report
	m.mu.RUnlock()
	if encode == nil {
		return nil, errNoReport
	}
	return encode()
}

func (s *Server) report(w http.ResponseWriter, _ *http.Request) {
	report, err := s.options.Metrics.lastReport()
	switch {
	case errors.Is(err, errNoReport):
		say(w, http.StatusServiceUnavailable, err.Error())
	case err != nil:
		s.options.Log.Error("the report could not be encoded", "error", err)
		say(w, http.StatusInternalServerError, "the report could not be encoded: "+err.Error())
	default:
		answer(w, report)
	}
}

func answer(w http.ResponseWriter, document []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Write(human.EscapeJSON(document))
}

// state is the daemon's state, with the server's own part and what the tree tells.
func (s *Server) state() State {
	state, tree := s.options.Metrics.currentLook()
	state.Leavers, state.Stays, state.Gone = []Leaver{}, []Stay{}, append([]Gone{}, state.Gone...)
	if tree != nil {
		seen := tree()
		state.Leavers, state.Stays = leaversIn(seen), staysIn(seen)
	}
	state.Ready, state.NotReady = s.ready()
	state.Faults = []string{}
	if s.options.Faults != nil {
		state.Faults = append(state.Faults, s.options.Faults()...)
	}
	if s.options.NoRoomIn != nil {
		state.NoRoomIn = s.options.NoRoomIn()
	}
	if s.options.Unrecorded != nil {
		state.Unrecorded = s.options.Unrecorded()
	}
	if port := s.port.Load(); port != nil {
		state.Listen = *port
	}
	return state
}

// forPrompt asks for a status without what a tool takes over when it begins to look, which is most of it.
const forPrompt = "for=prompt"

func (s *Server) status(w http.ResponseWriter, r *http.Request) {
	state := s.state()
	if r.URL.RawQuery != forPrompt {
		handed := s.options.Metrics.handedOver()
		state.Remembered, state.Watched = handed.targets, handed.sessions
	}
	document, err := json.MarshalIndent(state, "", "  ")
	if err != nil {
		say(w, http.StatusInternalServerError, "the status could not be encoded: "+err.Error())
		return
	}
	answer(w, append(document, '\n'))
}

func (s *Server) overview(w http.ResponseWriter, _ *http.Request) {
	document, err := json.Marshal(s.tree())
	if err != nil {
		say(w, http.StatusInternalServerError, "the overview could not be encoded: "+err.Error())
		return
	}
	answer(w, document)
}

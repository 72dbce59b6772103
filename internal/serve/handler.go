package serve

import (
	"cmp"
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
)

// The paths that the tool asks for too.
const (
	metricsPath = "/metrics"
	healthPath  = "/healthz"
	readyPath   = "/readyz"
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

// socketHandler answers everything on the Unix socket: any user about that user's own things and with the
// page, and the daemon's own user about the daemon too.
func (s *Server) socketHandler() http.Handler {
	own := http.NewServeMux()
	s.routeHealth(own, true)
	mux := http.NewServeMux()
	s.routeAsked(mux)
	for _, path := range pagePaths() {
		mux.Handle(path, readOnly(http.HandlerFunc(showPage)))
	}
	mux.Handle("/", readOnly(onlyOwn(own)))
	return guarded(mux)
}

// showPage answers with a file of the page.
func showPage(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", pagePolicy)
	http.ServeFileFS(w, r, pageFiles, "page/"+cmp.Or(strings.TrimPrefix(r.URL.Path, "/"), "index.html"))
}

// onlyOwn answers the daemon's own user and root.
func onlyOwn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if uid := callerOf(r).UID; uid != os.Geteuid() && uid != 0 {
			say(w, http.StatusForbidden, "this is for the daemon's own user")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// privatePaths are the socket's paths, which the port refuses with an explanation.
func privatePaths() []string {
	return append(pagePaths(), accountPath, followPath, explainPath, historyPath)
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
	say(w, http.StatusForbidden, "the port carries metrics and health only, because any user of this host can read it: `reaperd status` and `reaperd page` show the rest, and ask over the socket")
}

// guarded adds headers that keep a browser from interpreting answers.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Cache-Control", "no-store")
		header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("X-Frame-Options", "DENY")
		next.ServeHTTP(w, r)
	})
}

// readOnly answers only GET and HEAD, as [guarded] does.
func readOnly(next http.Handler) http.Handler {
	return guarded(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isReading(r) {
			w.Header().Set("Allow", "GET, HEAD")
			say(w, http.StatusMethodNotAllowed, "this interface only shows: nothing that acts is reachable over HTTP")
			return
		}
		next.ServeHTTP(w, r)
	}))
}

func isReading(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead
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
	switch faults := s.options.Metrics.policyFaults(); {
	case len(faults) == 0: // one holds
	case private:
		why += "\n" + strings.Join(faults, "\n")
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

// Socket-proxy stands in for wollomatic/socket-proxy in the tests: it reads the
// same flags from the same compose file and lets pass what they allow. What it
// refuses it says on stderr and answers with 403.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"strings"
)

func main() {
	log.SetFlags(0)
	if err := run(os.Args[1:]); err != nil {
		log.Fatalf("socket-proxy: %v", err)
	}
}

// allowed are the paths of each method; a method without one is refused.
type allowed map[string]*regexp.Regexp

func run(args []string) error {
	flags := flag.NewFlagSet("socket-proxy", flag.ContinueOnError)
	flags.String("loglevel", "info", "")
	from := flags.String("socketpath", "/var/run/docker.sock", "")
	to := flags.String("proxysocketendpoint", "", "")
	allow := allowed{}
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "TRACE", "OPTIONS"} {
		flags.Func("allow"+method, "", func(text string) error {
			expression, err := regexp.Compile("^" + text + "$")
			allow[method] = expression
			return err
		})
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := os.Remove(*to); err != nil && !os.IsNotExist(err) {
		return err
	}
	listener, err := net.Listen("unix", *to)
	if err != nil {
		return err
	}
	if err := os.Chmod(*to, 0o600); err != nil {
		return err
	}
	return http.Serve(listener, allow.before(engineAt(*from)))
}

// engineAt passes requests on to an engine, and its answers back as they come.
func engineAt(socket string) http.Handler {
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: "engine"})
	proxy.FlushInterval = -1
	proxy.Transport = &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}
	return proxy
}

func (a allowed) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		expression := a[r.Method]
		if expression == nil || !expression.MatchString(r.URL.Path) {
			log.Printf("refused %s %s", r.Method, strings.ReplaceAll(r.URL.Path, "\n", " "))
			http.Error(w, fmt.Sprintf("%s %s is not allowed", r.Method, r.URL.Path), http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/reaperd/reaperd/internal/human"
)

// HealthWithin is how long a daemon may take to answer that it lives.
const HealthWithin = 2 * time.Second

// HealthOnPort asks the daemon that listens on an address why it acts on nothing; empty if it acts. The error says
// that it does not live: to start again one that is only not ready mends nothing. own asks for a daemon of this user:
// the default port may be any user's.
func HealthOnPort(ctx context.Context, listen string, own bool) (notReady string, err error) {
	ctx, cancel := context.WithTimeout(ctx, HealthWithin)
	defer cancel()
	host, err := hostToAsk(listen)
	if err != nil {
		return "", err
	}
	alive, err := askPort(ctx, host, healthPath)
	user, unnamed := strconv.Atoi(alive.user)
	switch {
	case err != nil:
		return "", err
	case alive.code == http.StatusServiceUnavailable:
		return "", human.Failed("reaperd status", "what listens on %s is not well: %s", host, alive.line)
	case alive.code != http.StatusOK:
		return "", human.Failed(another, "what listens on %s is no reaperd: its /healthz answers with HTTP %d", host, alive.code)
	case own && unnamed == nil && user != os.Geteuid():
		return "", human.Failed(another, "the daemon at %s is that of user %d", host, user)
	}
	if ready, err := askPort(ctx, host, readyPath); err == nil && ready.code == http.StatusServiceUnavailable {
		return ready.line, nil
	}
	return "", nil
}

// hostToAsk is the host and port to ask. A daemon that listens on every address is asked on
// loopback.
func hostToAsk(listen string) (string, error) {
	if err := CheckListen(listen); err != nil {
		return "", err
	}
	host, port, _ := net.SplitHostPort(listen)
	switch ip := net.ParseIP(host); {
	case host == "" || ip != nil && ip.IsUnspecified() && ip.To4() != nil:
		host = "127.0.0.1"
	case ip != nil && ip.IsUnspecified():
		host = "::1"
	}
	return net.JoinHostPort(host, port), nil
}

// another is the advice to ask elsewhere.
const another = "reaperd health --listen ADDR   asks at another address"

// said is an answer of a port: its code, its first line, and the user whose daemon it is.
type said struct {
	code       int
	line, user string
}

// askPort asks a daemon's port. It ignores proxies in the environment: the daemon is on this host.
func askPort(ctx context.Context, host, path string) (said, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, (&url.URL{Scheme: "http", Host: host, Path: path}).String(), nil)
	if err != nil {
		return said{}, fmt.Errorf("ask %s: %w", host, err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return said{}, human.Failed("reaperd run   starts one; "+another, "no daemon listens on %s", host)
	case errors.Is(err, context.DeadlineExceeded):
		return said{}, human.Failed("reaperd status   asks your own; "+another, "%s did not answer within %s", host, human.Span(HealthWithin))
	case err != nil:
		return said{}, human.Failed(another, "ask %s: %w", host, unwrapURL(err))
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(response.Body, mostOfWhy))
	return said{response.StatusCode, firstLine(response, body), response.Header.Get(userHeader)}, nil
}

// firstLine is the first line of the daemon's answer; the HTTP status if the answer
// is empty.
func firstLine(response *http.Response, body []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(body[:min(len(body), mostOfWhy)])), "\n")
	return cmp.Or(line, response.Status)
}

// mostOfWhy is how much of an answer is read, in bytes.
const mostOfWhy = 512

// unwrapURL drops the address from an error: the caller names it.
func unwrapURL(err error) error {
	if e, ok := err.(*url.Error); ok {
		return e.Err
	}
	return err
}

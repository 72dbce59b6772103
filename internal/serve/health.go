package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/human"
)

// healthTimeout is how long a daemon may take to answer that it is well.
const healthTimeout = 2 * time.Second

// Health is nil if the daemon that listens on an address answers that it is well. own
// asks for a daemon of this user: the default port may be any user's.
func Health(ctx context.Context, listen string, own bool) error {
	address, err := healthURL(listen)
	if err != nil {
		return err
	}
	user, err := askHealth(ctx, address)
	if err != nil {
		return advice.Failed("is it running, and does it listen there? reaperd run --listen "+listen, "%w", err)
	}
	if own && user != "" && user != strconv.Itoa(os.Geteuid()) {
		return advice.Failed("reaperd status   asks your own, reaperd health --listen "+listen+"   that one", "the daemon at %s is that of user %s", listen, user)
	}
	return nil
}

// Elsewhere is the error of [Health], or if a daemon answers at the socket and listens
// elsewhere, the error that says where.
func Elsewhere(ctx context.Context, socket, listen string, unwell error) error {
	daemon, err := Ask(ctx, socket)
	switch {
	case err != nil, portOf(daemon.Listen) == portOf(listen):
		return unwell
	case daemon.Listen == "":
		return advice.Failed("reaperd status   asks it there; with run --listen ADDR it answers health too", "your daemon (process %d) listens on its socket alone", daemon.PID)
	}
	return advice.Failed("reaperd health --listen "+daemon.Listen, "your daemon (process %d) listens on %s, not on %s", daemon.PID, daemon.Listen, listen)
}

// portOf is the port of an address; "" if it has none.
func portOf(address string) string {
	_, port, _ := net.SplitHostPort(address)
	return port
}

// healthURL is the address to ask. A daemon that listens on every address is asked on
// loopback.
func healthURL(listen string) (string, error) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil || port == "" {
		return "", advice.Misused("", "--listen %q: want HOST:PORT", listen)
	}
	switch ip := net.ParseIP(host); {
	case host == "" || ip != nil && ip.IsUnspecified() && ip.To4() != nil:
		host = "127.0.0.1"
	case ip != nil && ip.IsUnspecified():
		host = "::1"
	}
	return (&url.URL{Scheme: "http", Host: net.JoinHostPort(host, port), Path: "/healthz"}).String(), nil
}

// askHealth returns the user whose daemon is well, and an error if the answer is not
// 200. It ignores proxies in the environment: the daemon is on this host.
func askHealth(ctx context.Context, address string) (user string, err error) {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", fmt.Errorf("ask %s: %w", address, err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "", fmt.Errorf("no daemon listens on %s", request.URL.Host)
	case errors.Is(err, context.DeadlineExceeded):
		return "", fmt.Errorf("%s did not answer within %s", request.URL.Host, human.Span(healthTimeout))
	case err != nil:
		return "", fmt.Errorf("ask %s: %w", address, unwrapURL(err))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("ask %s: it answered %s", address, strings.ToLower(response.Status))
	}
	return response.Header.Get(UserHeader), nil
}

// unwrapURL drops the address from an error: the caller names it.
func unwrapURL(err error) error {
	if e, ok := err.(*url.Error); ok {
		return e.Err
	}
	return err
}

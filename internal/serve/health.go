package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
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
		return advice.Failed("reaperd run   starts one; reaperd health --listen ADDR   asks at another address", "%w", err)
	}
	if own && user != "" && user != strconv.Itoa(os.Geteuid()) {
		return advice.Failed("reaperd status   asks your own, reaperd health --listen "+listen+"   that one", "the daemon at %s is that of user %s", listen, user)
	}
	return nil
}

// HealthOnSocket asks the daemon at the socket instead, after [Health] gave the error
// unwell about listen. found says who answered there that it is well; the error is
// unwell if nobody else does.
func HealthOnSocket(ctx context.Context, socket, listen string, unwell error) (found string, err error) {
	daemon, err := Ask(ctx, socket)
	if errors.Is(err, ErrNotRunning) {
		return "", fmt.Errorf("%w, and none answers on your socket", unwell)
	}
	if err != nil || daemon.Listen != "" && portOf(daemon.Listen) == portOf(listen) {
		return "", unwell
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	who := fmt.Sprintf("process %d", daemon.PID)
	if _, err := fetch(ctx, socket, healthPath); err != nil {
		return "", advice.Failed("reaperd status", "your daemon (%s) is not well: %w", who, err)
	}
	if daemon.Listen == "" {
		return who + ", on its socket alone (run --listen adds a port)", nil
	}
	return who + " listens on " + daemon.Listen + ", not on " + listen, nil
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
	return (&url.URL{Scheme: "http", Host: net.JoinHostPort(host, port), Path: healthPath}).String(), nil
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
		body, _ := io.ReadAll(io.LimitReader(response.Body, mostOfWhy))
		return "", fmt.Errorf("what listens on %s is not well: %s", request.URL.Host, firstLine(response, body))
	}
	return response.Header.Get(userHeader), nil
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

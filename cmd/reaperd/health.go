package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// healthTimeout is how long a daemon has to say that it is well.
const healthTimeout = 2 * time.Second

// defaultListen is where the daemon serves HTTP unless told otherwise.
const defaultListen = "127.0.0.1:9723"

func newHealth(s *shared) *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Ask the daemon whether it is well: 0 or 1",
		Long: `Asks the daemon's /healthz and exits 0 where it answers that it is well within two
seconds, else 1. It is the health check of an image that has no shell.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.health(cmd.Context(), listen) },
	}
	cmd.Flags().StringVar(&listen, "listen", defaultListen, "`ADDR` the daemon listens on")
	return cmd
}

func (s *shared) health(ctx context.Context, listen string) error {
	address, err := healthURL(listen)
	if err != nil {
		return err
	}
	if err := askHealth(ctx, address); err != nil {
		return failed("is it running, and does it listen there? reaperd run --listen "+listen, "%w", err)
	}
	_, err = fmt.Fprintln(s.out, "healthy")
	return err
}

// healthURL is what to ask of a daemon that listens on an address. One that
// listens on every address is asked on the loopback one.
func healthURL(listen string) (string, error) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil || port == "" {
		return "", usage("", "--listen %q: want HOST:PORT", listen)
	}
	switch ip := net.ParseIP(host); {
	case host == "" || ip != nil && ip.IsUnspecified() && ip.To4() != nil:
		host = "127.0.0.1"
	case ip != nil && ip.IsUnspecified():
		host = "::1"
	}
	return (&url.URL{Scheme: "http", Host: net.JoinHostPort(host, port), Path: "/healthz"}).String(), nil
}

// askHealth is nil where the answer is 200. A proxy of the environment is not
// asked: the daemon is on this host.
func askHealth(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("ask %s: %w", address, err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("ask %s: %w", address, unwrapURL(err))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("ask %s: it answered %s", address, strings.ToLower(response.Status))
	}
	return nil
}

// unwrapURL takes the address off an error that is about to name it.
func unwrapURL(err error) error {
	if e, ok := err.(*url.Error); ok {
		return e.Err
	}
	return err
}

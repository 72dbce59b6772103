package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// ErrNotRunning is returned where no daemon answers on the socket.
var ErrNotRunning = errors.New("no daemon answers there")

const (
	askTimeout = 15 * time.Second // for a whole answer
	maxAnswer  = 256 << 20        // bytes
)

// Status asks the daemon behind the socket for its [State], as JSON.
func Status(ctx context.Context, socketPath string) ([]byte, error) {
	return ask(ctx, socketPath, statusPath)
}

// Report asks the daemon behind the socket for the JSON of its last sweep.
func Report(ctx context.Context, socketPath string) ([]byte, error) {
	return ask(ctx, socketPath, reportPath)
}

func ask(ctx context.Context, socketPath, what string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	answer, err := fetch(ctx, socketPath, what)
	if isAbsent(err) {
		err = ErrNotRunning
	}
	if err != nil {
		return nil, fmt.Errorf("ask the daemon at %s: %w", socketPath, err)
	}
	return answer, nil
}

func fetch(ctx context.Context, socketPath, what string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+what, nil)
	if err != nil {
		return nil, err
	}
	response, err := overUnix(socketPath).Do(request)
	if err != nil {
		return nil, reason(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, reason(err)
	case len(body) > maxAnswer:
		return nil, fmt.Errorf("its answer is larger than %d MiB", maxAnswer>>20)
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s", firstLine(response, body))
	}
	return body, nil
}

// firstLine is what the daemon says, or the status where it says nothing.
func firstLine(response *http.Response, body []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(body[:min(len(body), 512)])), "\n")
	if line == "" {
		return response.Status
	}
	return line
}

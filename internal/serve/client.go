package serve

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/page"
)

// ErrNotRunning means that no daemon has the socket.
var ErrNotRunning = errors.New("no daemon answers there")

// ErrSilent means that a daemon has the socket and does not answer in time: it hangs,
// or somebody has stopped it.
var ErrSilent = errors.New("it does not answer")

const (
	// AnswerWithin is how long a daemon may take to begin an answer. One on a busy
	// machine needs more than a second.
	AnswerWithin = 3 * time.Second
	askTimeout   = 15 * time.Second // for a whole answer
	maxAnswer    = 256 << 20        // bytes
)

// Status asks the daemon at the socket for its [State], as JSON.
func Status(ctx context.Context, socketPath string) ([]byte, error) {
	return ask(ctx, socketPath, statusPath)
}

// StatusForPrompt is [Status] without what the daemon remembers for tools that look.
func StatusForPrompt(ctx context.Context, socketPath string) ([]byte, error) {
	return ask(ctx, socketPath, statusPath+"?"+forPrompt)
}

// Ask asks the daemon behind the socket for its [State].
func Ask(ctx context.Context, socketPath string) (*State, error) {
	data, err := Status(ctx, socketPath)
	if err != nil {
		return nil, err
	}
	state := &State{}
	return state, json.Unmarshal(data, state)
}

func ask(ctx context.Context, socketPath, what string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	answer, err := fetch(ctx, socketPath, what)
	if err != nil {
		return nil, fmt.Errorf("ask the daemon at %s: %w", socketPath, named(err))
	}
	return answer, nil
}

// named replaces an error by ErrNotRunning or ErrSilent if it means that.
func named(err error) error {
	var late interface{ Timeout() bool }
	switch {
	case isAbsent(err):
		return ErrNotRunning
	case errors.As(err, &late) && late.Timeout():
		return ErrSilent
	}
	return err
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

// firstLine is the first line of the daemon's answer; the HTTP status if the answer
// is empty.
func firstLine(response *http.Response, body []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(body[:min(len(body), 512)])), "\n")
	if line == "" {
		return response.Status
	}
	return line
}

// Tree asks the daemon at the socket for the tree of its last look.
func Tree(ctx context.Context, socketPath string) (overview.Tree, error) {
	document, err := ask(ctx, socketPath, overviewPath)
	if err != nil {
		return overview.Tree{}, err
	}
	var tree overview.Tree
	if err := json.Unmarshal(document, &tree); err != nil {
		return overview.Tree{}, fmt.Errorf("ask the daemon at %s: read its answer: %w", socketPath, err)
	}
	if tree.Version != overview.Version {
		return overview.Tree{}, fmt.Errorf("ask the daemon at %s: its overview is of version %d, and this reaperd reads %d: they are of different releases", socketPath, tree.Version, overview.Version)
	}
	return tree, nil
}

// Listen calls heard at once and after each look of the daemon at the socket, until
// ctx ends, which is no error, or the daemon does.
func Listen(ctx context.Context, socketPath string, heard func()) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+page.LivePath, nil)
	if err != nil {
		return err
	}
	response, err := overUnix(socketPath).Do(request)
	switch {
	case ctx.Err() != nil:
		return nil
	case err == nil && response.StatusCode != http.StatusOK:
		err = errors.New(response.Status)
	}
	if err != nil {
		return fmt.Errorf("listen to the daemon at %s: %w", socketPath, reason(named(err)))
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "event: look") {
			heard()
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("listen to the daemon at %s: %w", socketPath, cmp.Or(lines.Err(), io.EOF))
}

// lookWithin is how long [AwaitLook] waits. The daemon begins a look within half a second of
// what a person asks of it, and within 1.5 s if it has just acted itself.
const lookWithin = 2 * time.Second

// AwaitLook waits until the daemon at the socket has begun a look after a moment and shows
// what it saw; two seconds at most. It returns at once if no daemon answers, or if the
// daemon does not look because it has no policy.
func AwaitLook(ctx context.Context, socketPath string, after time.Time) {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	awaitLook(ctx, socketPath, after)
}

func awaitLook(ctx context.Context, socketPath string, after time.Time) {
	ctx, looked := context.WithCancel(ctx)
	defer looked()
	_ = Listen(ctx, socketPath, func() { // its error does not matter: the daemon has ended
		if is, err := Ask(ctx, socketPath); err != nil || is.LastSweep == nil || is.LastSweep.At.After(after) {
			looked()
		}
	})
}

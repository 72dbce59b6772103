package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/overview"
)

// ErrNotRunning means that no daemon has the socket.
var ErrNotRunning = errors.New("no daemon answers there")

// ErrSilent means that a daemon has the socket and does not answer in time: it hangs,
// or somebody has stopped it.
var ErrSilent = errors.New("it does not answer")

const (
	// AnswerWithin is how long a daemon may take to begin an answer to the page. One on a busy
	// machine needs more than a second.
	AnswerWithin = 3 * time.Second
	maxAnswer    = 256 << 20 // bytes
)

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

// firstLine is the first line of the daemon's answer; the HTTP status if the answer
// is empty.
func firstLine(response *http.Response, body []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(body[:min(len(body), 512)])), "\n")
	if line == "" {
		return response.Status
	}
	return line
}

// Tree is the tree of the daemon's last look, for the daemon's own user.
func (a *Asker) Tree(ctx context.Context) (tree overview.Tree, err error) {
	if err = a.get(ctx, overviewPath, &tree); err == nil && tree.Version != overview.Version {
		err = fmt.Errorf("the daemon's overview has version %d, and this reaperd reads %d: they are of different releases", tree.Version, overview.Version)
	}
	return tree, err
}

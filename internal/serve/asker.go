package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/state"
)

// ErrNotRunning means that no daemon has the socket.
var ErrNotRunning = errors.New("no daemon answers there")

// ErrSilent means that a daemon has the socket and does not answer in time: it hangs,
// or somebody has stopped it.
var ErrSilent = errors.New("it does not answer")

// maxAnswer is the most that an answer may bring, in bytes.
const maxAnswer = 256 << 20

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

// Asker asks a daemon over its socket.
type Asker struct {
	Hello
	socket string
	client *http.Client
}

// HangsError means that a daemon has a socket and does not answer: it hangs, or a signal has stopped it.
type HangsError struct{ Peer }

func (e *HangsError) Error() string {
	who := "the daemon"
	if e.PID > 0 {
		who = fmt.Sprintf("the daemon (process %d)", e.PID)
	}
	if e.isStopped() {
		return who + " does not answer: a signal has stopped it"
	}
	return fmt.Sprintf("%s does not answer within %s: it hangs", who, answersWithin)
}

func (e *HangsError) isStopped() bool { return e.PID > 0 && state.IsStopped(e.PID) }

// Remedy is the command that has the daemon answer again.
func (e *HangsError) Remedy() string {
	sudo := ""
	if e.UID != os.Geteuid() {
		sudo = "sudo "
	}
	if e.isStopped() {
		return sudo + "kill -CONT " + strconv.Itoa(e.PID)
	}
	return "reaperd doctor"
}

// answersWithin is how long a daemon may take to say hello.
const answersWithin = 2 * time.Second

// Dial connects to the daemon at a socket. The error is [ErrNotRunning] if there is none, and a
// [*HangsError] if it does not answer in time.
func Dial(ctx context.Context, socket string) (*Asker, error) {
	a := &Asker{socket: socket}
	var peer Peer
	a.client = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		conn, err := dialUnix(ctx, socket)
		if err != nil {
			return nil, err
		}
		if peer, err = peerOf(conn); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		return conn, nil
	}}}
	within, cancel := context.WithTimeout(ctx, answersWithin)
	defer cancel()
	err := a.into(within, http.MethodGet, helloPath, nil, &a.Hello)
	switch {
	case err == nil:
		return a, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	if err = named(err); errors.Is(err, ErrSilent) {
		err = &HangsError{peer}
	}
	return nil, err
}

// Close ends the connection.
func (a *Asker) Close() { a.client.CloseIdleConnections() }

// Socket is where the daemon answers.
func (a *Asker) Socket() string { return a.socket }

// do makes a request, and returns the body of a good answer.
func (a *Asker) do(ctx context.Context, method, path string, wished *wish) (io.ReadCloser, error) {
	var body io.Reader
	if wished != nil {
		document, err := json.Marshal(wished)
		if err != nil {
			return nil, err
		}
		if len(document) > maxBody {
			return nil, human.Failed("name some of it", "more is asked for at once than a daemon takes")
		}
		body = bytes.NewReader(document)
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://localhost"+path, body)
	if err != nil {
		return nil, err
	}
	for {
		response, err := a.client.Do(request)
		if err != nil {
			return nil, ofAsking(ctx, err)
		}
		if response.StatusCode == http.StatusOK {
			return response.Body, nil
		}
		err = refused(response)
		_ = response.Body.Close()
		if response.StatusCode != http.StatusTooManyRequests || !pauseFor(ctx, askAgain) {
			return nil, err
		}
		if wished != nil {
			request.Body, _ = request.GetBody() // of bytes that are here
		}
	}
}

// askAgain is how long who asks too often waits.
const askAgain = 250 * time.Millisecond

// pauseFor waits; false if ctx ends earlier.
func pauseFor(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// ofAsking is the error of a daemon that has ended meanwhile, or of whoever gave up.
func ofAsking(ctx context.Context, err error) error {
	var advised *human.Error
	if errors.As(err, &advised) {
		return err
	}
	if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ctx.Err()
	}
	return fmt.Errorf("ask the daemon: %w", err)
}

// refused is the error that a daemon answers with.
func refused(response *http.Response) error {
	var is refusal
	document, _ := io.ReadAll(io.LimitReader(response.Body, maxBody))
	if response.StatusCode == http.StatusNotFound {
		return human.Failed("start the daemon again", "the daemon is of another version than this command")
	}
	if json.Unmarshal(document, &is) != nil || is.Error == "" {
		return fmt.Errorf("ask the daemon: %s", firstLine(response, document))
	}
	return is.advised()
}

func (r *refusal) advised() error {
	if r.Misuse {
		return human.Misused(r.Hint, "%s", r.Error)
	}
	return human.Failed(r.Hint, "%s", r.Error)
}

// patience is how long an answer may take that waits for no more than a look.
const patience = 30 * time.Second

// into makes a request, and reads the JSON of the answer. A plan may wait for longer, as its order wants.
func (a *Asker) into(ctx context.Context, method, path string, wished *wish, into any) error {
	within := patience
	if wished != nil && wished.Order != nil {
		within += wished.Order.Settle
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	body, err := a.do(ctx, method, path, wished)
	if err != nil {
		return err
	}
	defer body.Close()
	document, err := io.ReadAll(io.LimitReader(body, maxAnswer))
	if err == nil {
		err = json.Unmarshal(document, into)
	}
	if err != nil {
		return fmt.Errorf("read the daemon's answer: %w", err)
	}
	return nil
}

// answerOf makes a request, and returns what the answer says.
func answerOf[T any](ctx context.Context, a *Asker, method, path string, wished *wish) (told T, err error) {
	err = a.into(ctx, method, path, wished, &told)
	return told, err
}

// Account implements [account.Asker].
func (a *Asker) Account(ctx context.Context, fresh bool) (*account.Account, error) {
	path := accountPath
	if fresh {
		path += "?look=1"
	}
	return answerOf[*account.Account](ctx, a, http.MethodGet, path, nil)
}

// Explain implements [account.Asker].
func (a *Asker) Explain(ctx context.Context, subject string) (*account.Explanation, error) {
	return answerOf[*account.Explanation](ctx, a, http.MethodGet, explainPath+"?"+url.Values{"word": {subject}}.Encode(), nil)
}

// History implements [account.Asker].
func (a *Asker) History(ctx context.Context, query account.Period) (*account.History, error) {
	return answerOf[*account.History](ctx, a, http.MethodGet, historyPath+"?"+periodIn(query), nil)
}

// periodIn is a period in the query of an address.
func periodIn(query account.Period) string {
	document, _ := json.Marshal(query) // of times and texts
	return url.Values{"period": {string(document)}}.Encode()
}

// Pins implements [account.Asker].
func (a *Asker) Pins(ctx context.Context) ([]account.Pin, error) {
	return answerOf[[]account.Pin](ctx, a, http.MethodGet, pinsPath, nil)
}

// Pin implements [account.Asker].
func (a *Asker) Pin(ctx context.Context, subject string, until time.Time, why string) ([]account.Pin, error) {
	return answerOf[[]account.Pin](ctx, a, http.MethodPost, pinPath, &wish{Word: subject, Until: until, Why: why})
}

// Unpin implements [account.Asker].
func (a *Asker) Unpin(ctx context.Context, words []string) ([]account.Pin, error) {
	return answerOf[[]account.Pin](ctx, a, http.MethodPost, unpinPath, &wish{Words: words})
}

// Pause implements [account.Asker].
func (a *Asker) Pause(ctx context.Context, until time.Time, why string) (account.Pause, error) {
	return answerOf[account.Pause](ctx, a, http.MethodPost, pausePath, &wish{Until: until, Why: why})
}

// Resume implements [account.Asker].
func (a *Asker) Resume(ctx context.Context) (account.Pause, error) {
	return answerOf[account.Pause](ctx, a, http.MethodPost, resumePath, &wish{})
}

// Plan implements [account.Asker].
func (a *Asker) Plan(ctx context.Context, order account.Order) (*account.Plan, error) {
	return answerOf[*account.Plan](ctx, a, http.MethodPost, planPath, &wish{Order: &order})
}

// Follow implements [account.Asker].
func (a *Asker) Follow(ctx context.Context, tell func(*account.Account)) error {
	return endless(ctx, eachLine(ctx, a, http.MethodGet, followPath, nil, func(told *account.Account) error {
		tell(told)
		return nil
	}))
}

// Record implements [account.Asker].
func (a *Asker) Record(ctx context.Context, since time.Time, tell func(journal.Entry)) error {
	return endless(ctx, eachLine(ctx, a, http.MethodGet, recordPath+"?"+periodIn(account.Period{Since: since}), nil, func(entry journal.Entry) error {
		tell(entry)
		return nil
	}))
}

// endless is the error of an answer that whoever asked ends, and nobody else.
func endless(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return nil
	case err == nil:
		return ofAsking(ctx, io.EOF)
	}
	return err
}

// eachLine makes a request, and hands on the lines of the answer that are not empty.
func eachLine[T any](ctx context.Context, a *Asker, method, path string, wished *wish, hand func(T) error) error {
	body, err := a.do(ctx, method, path, wished)
	if err != nil {
		return err
	}
	defer body.Close()
	for lines := bufio.NewReader(body); ; {
		text, err := lines.ReadBytes('\n')
		if text = bytes.TrimSpace(text); len(text) > 0 {
			var told T
			if err := json.Unmarshal(text, &told); err != nil {
				return ofAsking(ctx, err)
			}
			if err := hand(told); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return ofAsking(ctx, err)
		}
	}
}

// Act implements [account.Asker].
func (a *Asker) Act(ctx context.Context, plan *account.Plan, tell func(account.Act)) (result *account.Result, err error) {
	err = eachLine(ctx, a, http.MethodPost, actPath, &wish{Order: &plan.Order, Plan: plan.ID}, func(l line) error {
		switch result = l.Result; {
		case l.Refusal != nil:
			return l.Refusal.advised()
		case l.Act != nil:
			tell(*l.Act)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case result == nil:
		return nil, ofAsking(ctx, io.ErrUnexpectedEOF)
	}
	return result, nil
}

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
	"syscall"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/state"
)

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
		conn, err := connect(ctx, socket)
		if err == nil {
			peer, err = trusted(conn)
		}
		return conn, err
	}}}
	within, cancel := context.WithTimeout(ctx, answersWithin)
	defer cancel()
	err := a.get(within, helloPath, &a.Hello)
	var late interface{ Timeout() bool }
	switch {
	case err == nil:
		return a, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case isAbsent(err):
		return nil, ErrNotRunning
	case errors.As(err, &late) && late.Timeout():
		return nil, &HangsError{peer}
	}
	return nil, err
}

// connect connects, and tries again while more ask than the daemon has taken yet.
func connect(ctx context.Context, socket string) (net.Conn, error) {
	for {
		conn, err := dialUnix(ctx, socket)
		if !errors.Is(err, syscall.EAGAIN) {
			return conn, err
		}
		if !pauseFor(ctx, time.Millisecond) {
			return nil, err
		}
	}
}

// trusted is who listens at the other end of a connection of [dialUnix]'s.
func trusted(conn net.Conn) (Peer, error) {
	peer, err := peerOf(conn)
	if err != nil {
		_ = conn.Close()
	}
	return peer, err
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
			return nil, advice.Failed("name some of it", "more is asked for at once than a daemon takes")
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
	var advised *advice.Error
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
		return advice.Failed("start the daemon again", "the daemon is of another version than this command")
	}
	if json.Unmarshal(document, &is) != nil || is.Error == "" {
		return fmt.Errorf("ask the daemon: %s", firstLine(response, document))
	}
	return is.advised()
}

func (r *refusal) advised() error {
	if r.Misuse {
		return advice.Misused(r.Hint, "%s", r.Error)
	}
	return advice.Failed(r.Hint, "%s", r.Error)
}

// get reads the JSON of an answer.
func (a *Asker) get(ctx context.Context, path string, into any) error {
	return a.into(ctx, http.MethodGet, path, nil, into)
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

// Account implements [account.Asker].
func (a *Asker) Account(ctx context.Context, fresh bool) (*account.Account, error) {
	path, told := accountPath, &account.Account{}
	if fresh {
		path += "?look=1"
	}
	return told, a.get(ctx, path, told)
}

// Follow implements [account.Asker].
func (a *Asker) Follow(ctx context.Context, tell func(*account.Account)) error {
	body, err := a.do(ctx, http.MethodGet, followPath, nil)
	if err != nil {
		return err
	}
	defer body.Close()
	err = eachLine(body, func(document []byte) error {
		told := &account.Account{}
		if err := json.Unmarshal(document, told); err != nil {
			return err
		}
		tell(told)
		return nil
	})
	if ctx.Err() != nil {
		return nil
	}
	if err == nil {
		err = io.EOF
	}
	return ofAsking(ctx, err)
}

// eachLine hands on the lines of an answer that are not empty.
func eachLine(body io.Reader, hand func([]byte) error) error {
	for lines := bufio.NewReader(body); ; {
		text, err := lines.ReadBytes('\n')
		if text = bytes.TrimSpace(text); len(text) > 0 {
			if err := hand(text); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Explain implements [account.Asker].
func (a *Asker) Explain(ctx context.Context, subject string) (*account.Explanation, error) {
	explanation := &account.Explanation{}
	return explanation, a.get(ctx, explainPath+"?"+url.Values{"word": {subject}}.Encode(), explanation)
}

// History implements [account.Asker].
func (a *Asker) History(ctx context.Context, query account.Period) (*account.History, error) {
	history := &account.History{}
	return history, a.get(ctx, historyPath+"?"+periodIn(query), history)
}

// periodIn is a period in the query of an address.
func periodIn(query account.Period) string {
	document, _ := json.Marshal(query) // of times and texts
	return url.Values{"period": {string(document)}}.Encode()
}

// Record implements [account.Asker].
func (a *Asker) Record(ctx context.Context, since time.Time, tell func(journal.Entry)) error {
	body, err := a.do(ctx, http.MethodGet, recordPath+"?"+periodIn(account.Period{Since: since}), nil)
	if err != nil {
		return err
	}
	defer body.Close()
	err = eachLine(body, func(document []byte) error {
		var entry journal.Entry
		if err := json.Unmarshal(document, &entry); err != nil {
			return err
		}
		tell(entry)
		return nil
	})
	switch {
	case ctx.Err() != nil:
		return nil
	case err == nil:
		err = io.EOF
	}
	return ofAsking(ctx, err)
}

// Pins implements [account.Asker].
func (a *Asker) Pins(ctx context.Context) (pins []account.Pin, err error) {
	err = a.get(ctx, pinsPath, &pins)
	return pins, err
}

// Pin implements [account.Asker].
func (a *Asker) Pin(ctx context.Context, subject string, until time.Time, why string) (pins []account.Pin, err error) {
	err = a.into(ctx, http.MethodPost, pinPath, &wish{Word: subject, Until: until, Why: why}, &pins)
	return pins, err
}

// Unpin implements [account.Asker].
func (a *Asker) Unpin(ctx context.Context, words []string) (pins []account.Pin, err error) {
	err = a.into(ctx, http.MethodPost, unpinPath, &wish{Words: words}, &pins)
	return pins, err
}

// Pause implements [account.Asker].
func (a *Asker) Pause(ctx context.Context, until time.Time, why string) (pause account.Pause, err error) {
	err = a.into(ctx, http.MethodPost, pausePath, &wish{Until: until, Why: why}, &pause)
	return pause, err
}

// Resume implements [account.Asker].
func (a *Asker) Resume(ctx context.Context) (pause account.Pause, err error) {
	err = a.into(ctx, http.MethodPost, resumePath, &wish{}, &pause)
	return pause, err
}

// Plan implements [account.Asker].
func (a *Asker) Plan(ctx context.Context, order account.Order) (*account.Plan, error) {
	plan := &account.Plan{}
	return plan, a.into(ctx, http.MethodPost, planPath, &wish{Order: &order}, plan)
}

// Act implements [account.Asker].
func (a *Asker) Act(ctx context.Context, plan *account.Plan, tell func(account.Act)) (*account.Result, error) {
	body, err := a.do(ctx, http.MethodPost, actPath, &wish{Order: &plan.Order, Plan: plan.ID})
	if err != nil {
		return nil, err
	}
	defer body.Close()
	var result *account.Result
	err = eachLine(body, func(document []byte) error {
		var l line
		if err := json.Unmarshal(document, &l); err != nil {
			return err
		}
		switch {
		case l.Refusal != nil:
			return l.Refusal.advised()
		case l.Act != nil:
			tell(*l.Act)
		}
		result = l.Result
		return nil
	})
	switch {
	case err != nil:
		return nil, ofAsking(ctx, err)
	case result == nil:
		return nil, ofAsking(ctx, io.ErrUnexpectedEOF)
	}
	return result, nil
}

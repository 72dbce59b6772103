package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/journal"
)

// answers is a decider for one reader. It remembers what it was asked.
type answers struct {
	reader account.Reader

	mu     sync.Mutex
	orders []string
	acts   chan struct{} // each act waits for it; nil does not wait
	began  chan struct{}
}

// answersTo is a decider that tells a reader who that is.
func answersTo(r account.Reader) account.Asker { return &answers{reader: r} }

func (a *answers) note(format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.orders = append(a.orders, fmt.Sprintf(format, args...))
}

func (a *answers) Account(context.Context, bool) (*account.Account, error) {
	return &account.Account{Version: 1, TakenAt: noon, Reader: &a.reader.UID, Headline: account.Words("a \x1b[2J name")}, nil
}

func (a *answers) Follow(ctx context.Context, _ func(*account.Account)) error { return ctx.Err() }

func (a *answers) Explain(_ context.Context, word string) (*account.Explanation, error) {
	if word == "others" {
		return nil, human.Misused("ask its user", "process 7 is another user's")
	}
	return &account.Explanation{Word: word}, nil
}

func (a *answers) History(_ context.Context, query account.Period) (*account.History, error) {
	return &account.History{From: query.Since, Older: query.PID}, nil
}

func (a *answers) Record(_ context.Context, since time.Time, tell func(journal.Entry)) error {
	for n := range 3 {
		tell(journal.Entry{ID: fmt.Sprint(n), Time: since.Add(time.Duration(n))})
	}
	return nil
}

func (a *answers) Pins(context.Context) ([]account.Pin, error) {
	return []account.Pin{{Target: "7:70"}}, nil
}

func (a *answers) Pin(_ context.Context, word string, until time.Time, why string) ([]account.Pin, error) {
	a.note("pin %s %d %s", word, until.Unix(), why)
	return []account.Pin{{Target: word, Until: until, Why: why}}, nil
}

func (a *answers) Unpin(_ context.Context, words []string) ([]account.Pin, error) {
	return []account.Pin{{Target: strings.Join(words, " ")}}, nil
}

func (a *answers) Pause(_ context.Context, until time.Time, why string) (account.Pause, error) {
	return account.Pause{Until: until, Why: why}, nil
}

func (a *answers) Resume(context.Context) (account.Pause, error) {
	return account.Pause{User: fmt.Sprint(a.reader.UID)}, nil
}

func (a *answers) Plan(_ context.Context, order account.Order) (*account.Plan, error) {
	return &account.Plan{ID: "p1", Order: order, Account: &account.Account{}}, nil
}

func (a *answers) Act(ctx context.Context, plan *account.Plan) (*account.Result, error) {
	if plan.ID == "refused" {
		return nil, human.Failed("reaperd resume", "nothing is reaped: paused")
	}
	if a.began != nil {
		a.began <- struct{}{}
	}
	if a.acts != nil {
		select {
		case <-a.acts:
		case <-ctx.Done():
		}
	}
	return &account.Result{Stopped: 2, Account: &account.Account{Outcomes: []account.Act{{Target: plan.Order.Words[0]}}}}, nil
}

// dialed is the tool's side of a socket.
func dialed(t *testing.T, path string) *Asker {
	t.Helper()
	asked, err := Dial(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(asked.Close)
	return asked
}

// TestTheToolAsksAndIsAnswered: each question and order, from the tool to the decider and back.
func TestTheToolAsksAndIsAnswered(t *testing.T) {
	path, self := socketPath(t), os.Geteuid()
	onSocket(t, Options{Metrics: published(t, full()), Build: account.Build{Version: "v1.2.3"}, Ask: answersTo}, path)
	asked, ctx := dialed(t, path), t.Context()
	if asked.PID != os.Getpid() || asked.UID != self || asked.Version != "v1.2.3" || asked.Socket() != path {
		t.Errorf("it says of itself %+v", asked.Hello)
	}
	order := account.Order{Words: []string{"github"}, Settle: time.Second, Enforce: true}
	for what, ask := range map[string]func() (got, want any, err error){
		"account": func() (any, any, error) { a, err := asked.Account(ctx, true); return *a.Reader, self, err },
		"explain": func() (any, any, error) { e, err := asked.Explain(ctx, "a b&c"); return e.Word, "a b&c", err },
		"history": func() (any, any, error) {
			h, err := asked.History(ctx, account.Period{Since: noon.UTC(), PID: 7})
			return []any{h.From, h.Older}, []any{noon.UTC(), 7}, err
		},
		"pins": func() (any, any, error) { p, err := asked.Pins(ctx); return p[0].Target, "7:70", err },
		"pin": func() (any, any, error) {
			p, err := asked.Pin(ctx, "7", noon.UTC(), "a demo")
			return p, []account.Pin{{Target: "7", Until: noon.UTC(), Why: "a demo"}}, err
		},
		"unpin": func() (any, any, error) {
			p, err := asked.Unpin(ctx, []string{"7", "8"})
			return p[0].Target, "7 8", err
		},
		"pause": func() (any, any, error) {
			p, err := asked.Pause(ctx, noon.UTC(), "x")
			return p, account.Pause{Until: noon.UTC(), Why: "x"}, err
		},
		"resume": func() (any, any, error) { p, err := asked.Resume(ctx); return p.User, fmt.Sprint(self), err },
		"plan":   func() (any, any, error) { p, err := asked.Plan(ctx, order); return p.Order, order, err },
		"act": func() (any, any, error) {
			r, err := asked.Act(ctx, &account.Plan{ID: "p1", Order: order})
			return []any{r.Stopped, r.Account.Outcomes[0].Target}, []any{2, "github"}, err
		},
	} {
		if got, want, err := ask(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v (%v)", what, got, want, err)
		}
	}
	var entries []string
	if err := asked.Record(ctx, noon, func(e journal.Entry) { entries = append(entries, e.ID) }); !errors.Is(err, io.EOF) || strings.Join(entries, "") != "012" {
		t.Errorf("record: %q, %v", entries, err)
	}
}

// TestARefusalComesWithItsHint, and whether it is the asker's mistake.
func TestARefusalComesWithItsHint(t *testing.T) {
	path := socketPath(t)
	onSocket(t, Options{Metrics: published(t, full()), Ask: answersTo}, path)
	asked := dialed(t, path)
	_, misuse := asked.Explain(t.Context(), "others")
	_, failure := asked.Act(t.Context(), &account.Plan{ID: "refused"})
	for _, row := range []struct {
		err        error
		text, hint string
		misuse     bool
	}{
		{misuse, "process 7 is another user's", "ask its user", true},
		{failure, "nothing is reaped: paused", "reaperd resume", false},
	} {
		var advised *human.Error
		if !errors.As(row.err, &advised) || advised.Error() != row.text || advised.Hint != row.hint || advised.Misuse != row.misuse {
			t.Errorf("%v, want %q with %q", row.err, row.text, row.hint)
		}
	}
	if _, err := asked.Unpin(t.Context(), []string{strings.Repeat("x", maxBody)}); err == nil || !strings.Contains(err.Error(), "more is asked for") {
		t.Errorf("a long list: %v", err)
	}
}

// TestEachCallerIsAnsweredAsTheOneThatTheKernelNames, whatever the request says.
func TestEachCallerIsAnsweredAsTheOneThatTheKernelNames(t *testing.T) {
	server := New(Options{Metrics: published(t, full()), Ask: answersTo})
	for uid, code := range map[int]int{1000: 200, 0: 200, nobody: 403} {
		request := httptest.NewRequest(http.MethodGet, accountPath+"?uid=0", nil)
		request.Header.Set(userHeader, "0")
		recorder := httptest.NewRecorder()
		calledBy(uid, server.socketHandler()).ServeHTTP(recorder, request)
		var a account.Account
		if recorder.Code != code || code == 200 && (json.Unmarshal(recorder.Body.Bytes(), &a) != nil || *a.Reader != uid) {
			t.Errorf("user %d: %d %s", uid, recorder.Code, recorder.Body)
		}
		if strings.Contains(recorder.Body.String(), "\x1b") {
			t.Errorf("a name steers the terminal: %q", recorder.Body)
		}
	}
}

func TestTheDaemonsOwnDocumentsAreItsUsersAndRoots(t *testing.T) {
	server := New(Options{Metrics: published(t, full()), Ask: answersTo})
	for uid, code := range map[int]int{os.Geteuid(): 200, 0: 200, 4_000_111: 403, nobody: 403} {
		recorder := httptest.NewRecorder()
		calledBy(uid, server.socketHandler()).ServeHTTP(recorder, httptest.NewRequest(http.MethodHead, metricsPath, nil))
		if recorder.Code != code {
			t.Errorf("user %d: %d, want %d", uid, recorder.Code, code)
		}
	}
}

// TestALongBodyIsRefusedUnread, and what is no request.
func TestALongBodyIsRefusedUnread(t *testing.T) {
	server := calledBy(1000, New(Options{Metrics: published(t, full()), Ask: answersTo}).socketHandler())
	endless := io.MultiReader(strings.NewReader(`{"word":"`), &counting{})
	for _, row := range []struct {
		method, path string
		body         io.Reader
		code         int
	}{
		{http.MethodPost, pinPath, endless, 400},
		{http.MethodPost, actPath, strings.NewReader(`{}`), 400},
		{http.MethodPost, planPath, strings.NewReader(`{}`), 409},
		{http.MethodPost, pinPath, strings.NewReader(`{"word":`), 400},
		{http.MethodGet, actPath, nil, 404},
		{http.MethodGet, pinPath, nil, 404},
		{http.MethodPost, accountPath, nil, 404},
		{http.MethodGet, "/v2/account", nil, 403}, // any other path is the daemon's own user's
	} {
		recorder := httptest.NewRecorder()
		server.ServeHTTP(recorder, httptest.NewRequest(row.method, row.path, row.body))
		if recorder.Code != row.code {
			t.Errorf("%s %s: %d %s, want %d", row.method, row.path, recorder.Code, recorder.Body, row.code)
		}
	}
}

// counting is a body without an end; reading more of it than is allowed fails the test by its memory.
type counting struct{}

func (*counting) Read(into []byte) (int, error) {
	for i := range into {
		into[i] = 'x'
	}
	return len(into), nil
}

// TestAFloodOfOneUserCostsTheOthersNothing: who has used up what there is for one waits, and others do not.
func TestAFloodOfOneUserCostsTheOthersNothing(t *testing.T) {
	b, now := newBounds(), noon
	spent := 0
	for b.spend(1000, 1, now) {
		spent++
	}
	if spent != requestsAtOnce || !b.spend(1001, costly, now) {
		t.Errorf("one user has made %d requests, and another may make none", spent)
	}
	if b.spend(1000, costly, now.Add(time.Second/10)) || !b.spend(1000, costly, now.Add(time.Second)) {
		t.Error("a second brings no more requests")
	}
	for uid := range 3 * mostUsers {
		b.spend(2000+uid, 1, now)
	}
	if len(b.users) > mostUsers {
		t.Errorf("%d users are remembered", len(b.users))
	}
}

// TestOneUserHasOneCostlyAnswerAtATime, so that there is a place for others.
func TestOneUserHasOneCostlyAnswerAtATime(t *testing.T) {
	b := newBounds()
	leave := b.enter(t.Context(), 1000)
	within, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if b.enter(within, 1000) != nil {
		t.Error("a second one of the same user is answered beside the first")
	}
	if other := b.enter(t.Context(), 1001); other == nil {
		t.Error("another user waits for the first")
	}
	leave()
	if b.enter(t.Context(), 1000) == nil {
		t.Error("the place was not given back")
	}
	if b.begin(t.Context(), 1000) == nil {
		t.Error("an order waits for a question")
	}
	again, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	if b.begin(again, 1000) != nil {
		t.Error("two orders of one user are carried out at a time")
	}
}

// TestAConnectionTooManyOfOneUserClosesOneOfThatUsers, and nobody else's.
func TestAConnectionTooManyOfOneUserClosesOneOfThatUsers(t *testing.T) {
	inner, dial := net.Pipe()
	defer inner.Close()
	defer dial.Close()
	l := &limited{most: 100, each: 3}
	of := func(from string, answering bool) *counted {
		return &counted{Conn: inner, from: from, list: l, answering: answering}
	}
	other, first := of("1001", false), of("1000", false)
	for _, c := range []*counted{other, first, of("1000", true), of("1000", false)} {
		if shed := l.add(c); shed != nil {
			t.Fatalf("%s is closed at %d", shed.from, len(l.open))
		}
	}
	if shed := l.add(of("1000", false)); shed != first {
		t.Errorf("closed: %+v, want the oldest that waits", shed)
	}
	for _, c := range l.open {
		c.answering = true
	}
	late := of("1000", false)
	if shed := l.add(late); shed != late || len(l.open) != 4 {
		t.Errorf("all of that user's are being answered, and %+v is closed; %d are open", shed, len(l.open))
	}
}

// TestOrdersOfTwoUsersDoNotWaitForEachOther: one may take minutes.
func TestOrdersOfTwoUsersDoNotWaitForEachOther(t *testing.T) {
	slow := &answers{acts: make(chan struct{}), began: make(chan struct{}, 1)}
	server := New(Options{Metrics: published(t, full()), Ask: func(r account.Reader) account.Asker {
		if r.UID == 1000 {
			return slow
		}
		return answersTo(r)
	}}).socketHandler()
	act := func(uid int) int {
		recorder := httptest.NewRecorder()
		calledBy(uid, server).ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, actPath, strings.NewReader(`{"order":{"words":["x"]},"plan":"p1"}`)))
		return recorder.Code
	}
	over := make(chan int)
	go func() { over <- act(1000) }()
	<-slow.began
	if code := act(1001); code != http.StatusOK {
		t.Errorf("the other user's order: %d", code)
	}
	close(slow.acts)
	if code := <-over; code != http.StatusOK {
		t.Errorf("the first user's order: %d", code)
	}
}

func TestTheSocketHasTheModeThatItIsFor(t *testing.T) {
	for mode, isHosts := range map[fs.FileMode]bool{OwnSocket: false, OpenSocket: true} {
		path := socketPath(t)
		if err := os.Chmod(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		endpoint, err := New(Options{Metrics: published(t)}).ListenUnix(t.Context(), path, mode)
		if err != nil {
			t.Fatal(err)
		}
		run(t, endpoint)
		info, err := os.Lstat(path)
		if err != nil || info.Mode() != fs.ModeSocket|mode {
			t.Errorf("mode %v, %v, want %v", info.Mode(), err, mode)
		}
		if os.Geteuid() != 0 && isHosts {
			continue // the host's is root's
		}
		if fault := SocketFault(path, isHosts); fault != "" {
			t.Errorf("as it was made: %s", fault)
		}
		if fault := SocketFault(path, !isHosts); fault == "" {
			t.Errorf("mode %v is right for the other too", mode)
		}
	}
}

// TestTheFolderOfTheHostsSocketIsItsOwnersAlone: nobody else may put another socket there.
func TestTheFolderOfTheHostsSocketIsItsOwnersAlone(t *testing.T) {
	parent := t.TempDir()
	folder := filepath.Join(parent, "reaperd")
	for _, before := range []fs.FileMode{0, 0o700, 0o777, 0o755} { // 0: it is not there
		if before != 0 {
			if err := errors.Join(os.MkdirAll(folder, before), os.Chmod(folder, before)); err != nil {
				t.Fatal(err)
			}
		}
		if err := MakeFolder(folder); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o755 {
			t.Errorf("from %v: %v, %v", before, info.Mode(), err)
		}
	}
	link := filepath.Join(parent, "link", "reaperd")
	if err := errors.Join(os.Mkdir(filepath.Dir(link), 0o755), os.Symlink(folder, link)); err != nil {
		t.Fatal(err)
	}
	if err := MakeFolder(link); err == nil {
		t.Error("a link in its place is taken")
	}
}

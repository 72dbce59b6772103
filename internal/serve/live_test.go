package serve

import (
	"bufio"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/test/eventually"
)

// stream opens the daemon's stream and returns its lines.
func stream(t *testing.T, base string) *bufio.Scanner {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+followPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	if kind := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || kind != "application/x-ndjson" {
		t.Fatalf("%s, %s", response.Status, kind)
	}
	return bufio.NewScanner(response.Body)
}

// heard reads up to the next account; false if the stream has ended.
func heard(lines *bufio.Scanner) bool {
	for lines.Scan() {
		if lines.Text() != "" {
			return true
		}
	}
	return false
}

func TestWhoeverListensHearsOfEachLook(t *testing.T) {
	m, _ := newTestMetrics()
	lines := stream(t, onPrivate(t, Options{Metrics: m, Ask: answersTo}))
	for range 3 {
		if !heard(lines) { // the first account comes at once
			t.Fatal("the stream has ended")
		}
		m.Tell()
	}
}

func TestOneListenerTooManyTakesThePlaceOfTheOldest(t *testing.T) {
	var a audience
	oldest, newest := a.join(0), (*listener)(nil)
	for uid := range maxListeners {
		newest = a.join(uid + 1)
	}
	a.tell()
	if _, listens := <-oldest.news; listens {
		t.Error("the oldest still listens")
	}
	if _, hears := <-newest.news; !hears {
		t.Error("the newest hears nothing")
	}
}

func TestAListenerWhoTakesNothingHoldsNobodyUp(t *testing.T) {
	var a audience
	slow := a.join(1000)
	for range 1000 {
		a.tell()
	}
	if len(slow.news) != 1 {
		t.Errorf("%d looks wait for it, want one that stands for all", len(slow.news))
	}
}

// reader receives an answer, and records the deadlines that were set.
type reader struct {
	http.ResponseWriter
	header      http.Header
	read, write []time.Time
	takes       int // number of pieces that it receives
	got         strings.Builder
}

func (r *reader) Header() http.Header                { return r.header }
func (r *reader) SetReadDeadline(at time.Time) error { r.read = append(r.read, at); return nil }
func (r *reader) SetWriteDeadline(at time.Time) error {
	r.write = append(r.write, at)
	return nil
}
func (r *reader) FlushError() error { return nil }

func (r *reader) Write(piece []byte) (int, error) {
	if r.takes == 0 {
		return 0, errors.New("i/o timeout")
	}
	r.takes--
	return r.got.Write(piece)
}

func TestAReaderWhoIsTooSlowIsDropped(t *testing.T) {
	m, _ := newTestMetrics()
	slow := &reader{header: http.Header{}, takes: 1}
	done := make(chan struct{})
	go func() {
		defer close(done)
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, followPath, nil)
		calledBy(os.Geteuid(), New(Options{Metrics: m, Ask: answersTo}).socketHandler()).ServeHTTP(slow, request)
	}()
	eventually.Holds(t, "it listens", func() bool { return len(listeners(m)) == 1 })
	m.Tell()
	<-done
	if n := len(listeners(m)); n != 0 {
		t.Errorf("%d still listen", n)
	}
	if len(slow.write) != 3 || slow.write[1].IsZero() || slow.write[2].IsZero() {
		t.Errorf("write deadlines %v, want none, and then one for each piece", slow.write)
	}
	if len(slow.read) != 1 || !slow.read[0].IsZero() {
		t.Errorf("read deadlines %v: that of the request ends the stream", slow.read)
	}
}

func listeners(m *Metrics) []*listener {
	m.audience.mu.Lock()
	defer m.audience.mu.Unlock()
	return append([]*listener{}, m.audience.listeners...)
}

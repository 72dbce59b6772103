package docker

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// endless answers with a text, over and over, until nobody reads any more.
func endless(begin, again string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if _, err := io.WriteString(w, begin); err != nil {
			return
		}
		for {
			if _, err := io.WriteString(w, again); err != nil {
				return
			}
		}
	}
}

func TestAnEngineThatNeverStopsTellingIsBounded(t *testing.T) {
	entry := `{"Id":"` + id("a") + `","Names":["/x"],"Image":"mcp/x","State":"exited","Status":"Exited","Labels":{"l":"` + strings.Repeat("v", 1000) + `"}},`
	for _, row := range []struct {
		says, request string
		answer        http.HandlerFunc
		reason        string
	}{
		{"a list without an end", "GET /containers/json", endless("[", entry), "lists more than is read"},
		{"an entry without an end", "GET /containers/json", endless(`[{"Id":"`, strings.Repeat("a", 4096)), "longer than"},
		{"empty entries without an end", "GET /containers/json", endless("[", "{},"), "lists more than is read"},
		{"a container without an end", "GET /containers/" + id("a") + "/json", endless(`{"Id":"`, strings.Repeat("a", 4096)), "longer than"},
		{"an answer about itself without an end", "GET /info", endless(`{"ID":"`, strings.Repeat("a", 4096)), ""},
	} {
		t.Run(row.says, func(t *testing.T) {
			f := newFake(t)
			f.run("a")
			f.on(row.request, row.answer)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, sources := f.enginesWith(Options{Timeout: 20 * time.Second}).Containers(t.Context())
			runtime.GC()
			runtime.ReadMemStats(&after)
			if source := only(t, sources); row.reason != "" && (source.Status == inventory.StatusOK || !strings.Contains(source.Reason, row.reason)) {
				t.Errorf("source %+v, want %q", source, row.reason)
			}
			if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 4<<20 {
				t.Errorf("%d bytes are kept", kept)
			}
		})
	}
}

func TestAContainerWhoseLabelsAreTooLongIsAGapAndStillKeepsItsWish(t *testing.T) {
	f := newFake(t)
	b := f.run("a")
	b.Config.Labels = map[string]string{"reaperd.keep": "true"}
	for i := range 2000 {
		b.Config.Labels[fmt.Sprintf("label-%d", i)] = strings.Repeat("v", 100)
	}
	f.run("b")
	containers, sources := f.enginesWith(Options{}).Containers(t.Context())
	if source := only(t, sources); source.Status != inventory.StatusPartial || !strings.Contains(source.Reason, "too long to be kept") {
		t.Errorf("source %+v", source)
	}
	if len(containers) != 2 {
		t.Fatalf("%d containers", len(containers))
	}
	if c := containers[0]; c.Labels["reaperd.keep"] != "true" || len(c.Labels) != 1 || c.OpenStdin.IsKnown() {
		t.Errorf("its labels are %d, its stdin is known: %v", len(c.Labels), c.OpenStdin.IsKnown())
	}
}

func TestAnEventWithoutAnEndEndsTheStream(t *testing.T) {
	short := boundedReader{from: strings.NewReader(strings.Repeat("{}\n", 1000)), most: 10, what: "an event", lines: true}
	if _, err := io.ReadAll(&short); err != nil {
		t.Errorf("many short events: %v", err)
	}
	long := boundedReader{from: strings.NewReader("{}\n" + strings.Repeat("x", 1000)), most: 10, what: "an event", lines: true}
	if _, err := io.ReadAll(&long); err == nil {
		t.Error("a long event is read on")
	}
}

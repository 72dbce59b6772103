package page

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/reaperd/reaperd/test/page/window"
)

// rounds is how often each page is opened for its figures.
const rounds = 7

// opening is what was measured of the openings of one page.
type opening struct{ firstPaint, laidOut times }

func (o opening) String() string {
	return fmt.Sprintf("first paint %s, all of it laid out %s", o.firstPaint, o.laidOut)
}

// times are in ms since the browser began to open the page.
type times []float64

func (s times) median() float64 { return slices.Sorted(slices.Values(s))[len(s)/2] }

func (s times) String() string { return fmt.Sprintf("%.0f and %.0f", slices.Min(s), s.median()) }

// openings opens pages in turn, so that what else the machine does slows down all of
// them. One window at a time has something to do: the others are empty.
func openings(t *testing.T, pages ...window.Window) []opening {
	t.Helper()
	addresses := make([]string, len(pages))
	for i, page := range pages {
		addresses[i] = page.Says(`location.href`)
		empty(page)
	}
	seen := make([]opening, len(pages))
	for range rounds {
		for i, page := range pages {
			first, read := open(page, addresses[i])
			seen[i].firstPaint = append(seen[i].firstPaint, first)
			seen[i].laidOut = append(seen[i].laidOut, read)
			empty(page)
		}
	}
	return seen
}

// empty has a window show nothing, and waits until it has nothing more to do.
func empty(page window.Window) {
	page.Do(chromedp.Navigate("about:blank"))
	page.Resolves(`new Promise((idle) => requestAnimationFrame(() => requestIdleCallback(() => idle(0))))`)
}

// open opens a page in an empty window, and tells when something of it showed, and when
// all of it was laid out. The browser is asked once it has loaded the page, and answers by
// itself: each question before would cost it time.
func open(page window.Window, address string) (firstPaint, laidOut float64) {
	page.Do(chromedp.Navigate(address))
	firstPaint = page.Resolves(`new Promise((painted) => new PerformanceObserver((list) => {
		const first = list.getEntriesByName("first-contentful-paint")[0];
		if (first) painted(first.startTime);
	}).observe({ type: "paint", buffered: true }))`)
	page.Awaits(`!document.querySelector("script") || performance.getEntriesByName("shown").length > 0`)
	return firstPaint, page.Resolves(`Promise.resolve((performance.getEntriesByName("shown")[0] ?? { startTime: performance.getEntriesByType("navigation")[0].domInteractive }).startTime)`)
}

// plainPage is the address of a page that costs a browser next to nothing.
func plainPage(t *testing.T) string {
	t.Helper()
	text := "<!doctype html><html lang=en><title>plain</title><p>" + strings.Repeat("word ", 200)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

//go:build linux

// Package live has a session die in front of a browser.
package live

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
	"github.com/reaperd/reaperd/test/page/window"
)

func TestMain(m *testing.M) { farm.Main(m) }

// patient is the shipped policy with a wait that one can watch.
const patient = `version: 1
extends: builtin
mode: enforce
rules:
  - {name: orphaned-servers, for: 12s, grace: 5s}
`

// within runs body in a world of its own, with a daemon and sessions: one that will
// end, and two that stay.
func within(t *testing.T, body func(t *testing.T, live *farm.Live, address string)) {
	t.Helper()
	window.Needed(t)
	farm.Within(t, farm.World{}, func(t *testing.T, live *farm.Live) {
		live.Start(t, []actor.Part{
			cast.Claude("ends", cast.Memory("left", actor.Socket), cast.Filesystem("files", actor.Socket, "/srv/shop")),
			cast.Claude("stays", cast.Memory("used", actor.Socket), cast.UVX("fetch", "mcp-server-fetch", actor.Pipe)),
			cast.Session("codex", "codex", cast.Filesystem("notes", actor.Socket, "/srv/notes")),
		})
		d := daemon.Start(t, live, daemon.Options{Policy: patient})
		body(t, live, window.Visit(t, d.Command(t.Context(), "page")))
	})
}

func TestASessionDiesAndItsServersGoWithoutAReload(t *testing.T) {
	within(t, func(t *testing.T, live *farm.Live, address string) {
		page := window.Open(t, address)
		page.Awaits(`document.body.innerText.includes("3 sessions hold") && document.body.innerText.includes("Nothing leaked")`)
		page.Awaits(`document.getElementById("live").textContent === "live"`)
		page.Do(chromedp.Evaluate[chromedp.Void](`window.mark = 1; void 0`))

		live.KillAll(t, []string{"ends"})
		page.Awaits(`/stops in \d+s/.test(document.querySelector(".coming b")?.textContent)`)
		farm.Figure(t, "%s", page.Says(`document.querySelector(".coming").innerText.replaceAll("\n", " ")`))
		page.Awaits(`document.querySelectorAll(".coming li").length === 2`)
		daemon.Live(t, live, append(strings.Fields(cast.Chain("left")), strings.Fields(cast.Chain("files"))...)...)

		page.Awaits(`!document.querySelector(".coming") && document.body.innerText.includes("Nothing leaked")`)
		daemon.Gone(t, live, append(strings.Fields(cast.Chain("left")), strings.Fields(cast.Chain("files"))...)...)
		page.Awaits(`document.body.innerText.includes("2 reaped") && document.body.innerText.includes("2 sessions hold")`)
		if !page.Is(`window.mark === 1`) {
			t.Error("the page was loaded anew")
		}
		daemon.Live(t, live, "stays", "codex", "used", "notes")
	})
}

// The browser that shows the page goes on to what another user serves on another port of 127.0.0.1. That server is told
// nothing that opens the page, and gets nothing of it; the page is still there on the way back, and when it is loaded again.
func TestWhatIsServedOnAnotherPortGetsNothing(t *testing.T) {
	within(t, func(t *testing.T, live *farm.Live, address string) {
		page := window.Open(t, address)
		page.Awaits(`document.getElementById("live").textContent === "live"`)
		at := page.Says(`location.href`)
		base := at[:strings.Index(at[len("http://"):], "/")+len("http://")]

		var mu sync.Mutex
		var told []string // what opens the page with what the browser has sent
		stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			for name, values := range r.Header {
				if name == "Cookie" || strings.Contains(strings.Join(values, " "), base) {
					told = append(told, name+": "+strings.Join(values, " "))
				}
			}
			for _, path := range []string{"/", "/part", "/api/v1/report"} {
				request, _ := http.NewRequest(http.MethodGet, base+path, nil)
				request.Header["Cookie"] = r.Header["Cookie"]
				if response, err := http.DefaultClient.Do(request); err == nil {
					response.Body.Close()
					if response.StatusCode != http.StatusForbidden {
						told = append(told, path+" with the browser's cookies: "+response.Status)
					}
				}
			}
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(`<title>stranger</title><script>
				window.got = "nothing"; window.tries = 0;
				for (const path of ["/", "/part", "/api/v1/report", "/live"])
					fetch("` + base + `" + path, { credentials: "include" }).then((r) => r.text()).then((text) => { window.got = text; }).catch(() => {}).finally(() => window.tries++);
			</script>`))
		}))
		t.Cleanup(stranger.Close)
		page.Do(chromedp.Navigate(stranger.URL))
		page.Awaits(`window.tries === 4`)
		if got := page.Says(`String(window.got + document.referrer + history.length)`); !strings.HasPrefix(got, "nothing") || strings.Contains(got, base) {
			t.Errorf("a script there has %s", got)
		}
		mu.Lock()
		if len(told) > 0 {
			t.Errorf("the server there has %q", told)
		}
		mu.Unlock()

		page.Do(chromedp.Evaluate[chromedp.Void](`history.back(); void 0`))
		page.Awaits(`document.getElementById("live")?.textContent === "live"`)
		page.Do(chromedp.Evaluate[chromedp.Void](`location.reload(); void 0`))
		page.Awaits(`document.getElementById("live")?.textContent === "live" && document.body.innerText.includes("3 sessions hold")`)
		page.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector("a[href*='thing?']").click(); void 0`))
		page.Awaits(`document.getElementById("about").open && document.getElementById("about").innerText.includes("reaperd explain")`)
		page.Do(chromedp.Evaluate[chromedp.Void](`open(document.querySelector("a[href*='thing?']").href, "_self"); void 0`)) // as in a tab of its own
		page.Awaits(`document.getElementById("thing")?.innerText.includes("reaperd explain")`)
		if again := window.Open(t, address); !again.Is(`document.body.innerText.includes("opens once")`) {
			t.Error("the address opens the page twice")
		}
	})
}

//go:build linux

// Package live has a session die in front of a browser.
package live

import (
	"strings"
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

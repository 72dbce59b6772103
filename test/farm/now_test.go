//go:build linux

package farm_test

import (
	"encoding/json"
	"testing"

	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

// inAnHour is the shipped policy with a longer time.
const inAnHour = `version: 1
extends: builtin
mode: enforce
rules:
  - {name: orphaned-servers, for: 1h, grace: 1s}
  - {name: disconnected-servers, for: 1h, grace: 1s}
`

func TestNowStopsWhatNobodyOwnsBeforeItsTimeAndNothingElse(t *testing.T) {
	world := farm.World{
		Rules: inAnHour,
		Parts: []actor.Part{
			cast.Claude("gone", cast.Memory("left", actor.Socket)),
			cast.Claude("alive", cast.Memory("used", actor.Socket), cast.Dropped(cast.Deaf(cast.Server("dropped", cast.NPX+"mcp-server-fetch", actor.Socket)))),
		},
		Kill: []string{"gone"}, Answers: []string{"alive used-npm"},
	}
	farm.Inside(t, farm.Tini, func(t *testing.T) {
		live := farm.Raise(t, world)
		live.KillAll(t, world.Kill)
		sweep := func(args ...string) {
			live.Through(t, func() *farm.Report {
				report := &farm.Report{}
				answer := live.Tell(t, append([]string{"sweep", "--yes", "--settle", "1s", "-o", "json"}, args...)...)
				if err := json.Unmarshal([]byte(answer), report); err != nil {
					t.Fatal(err)
				}
				return report
			})
		}
		sweep() // it is not the time for either yet
		live.World.Reap = []string{cast.Chain("left")}
		sweep("--now")
	})
}

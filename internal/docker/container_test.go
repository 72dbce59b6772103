package docker

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"

	"github.com/reaperd/reaperd/internal/inventory"
)

const recordedID = "25b3c15b62421f3f28f7529eeb1b2d8b08fd644a9c514fc41c4c4ae71b06dcc0"

func recorded[T any](t *testing.T, name string) T {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "engine", name))
	if err != nil {
		t.Fatal(err)
	}
	var value T
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func TestContainerFromItsInspect(t *testing.T) {
	got := fromInspect("unix:///var/run/docker.sock", recorded[container.InspectResponse](t, "inspect.json"))
	want := inventory.Container{
		ID:         recordedID,
		Name:       "charming_easley",
		Image:      "ghcr.io/github/github-mcp-server",
		Labels:     map[string]string{"docker-mcp": "true", "docker-mcp-name": "github-official"},
		State:      "running",
		CreatedAt:  time.Date(2026, 11, 20, 23, 49, 6, 615831227, time.UTC),
		StartedAt:  time.Date(2026, 11, 20, 23, 49, 11, 649254280, time.UTC),
		Command:    []string{"/server", "stdio"},
		PID:        1854,
		OpenStdin:  inventory.Known(true),
		StdinOnce:  inventory.Known(true),
		AutoRemove: inventory.Known(true),
		Engine:     "unix:///var/run/docker.sock",

		AttachStdout: inventory.Known(true),
		TTY:          inventory.Known(false),
		Named:        inventory.Known(false),
		Publishes:    inventory.Known(false),
		Restarts:     inventory.Known(false),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestTheListAloneLeavesFactsOut(t *testing.T) {
	got := fromList("e", recorded[[]summary](t, "list.json")[0])
	if got.ID != recordedID || got.Name != "charming_easley" || got.State != "running" {
		t.Errorf("got %+v", got)
	}
	if got.OpenStdin.IsKnown() || got.StdinOnce.IsKnown() || got.AutoRemove.IsKnown() {
		t.Error("a fact that was not read is known")
	}
	if want := time.Date(2026, 11, 20, 23, 49, 6, 0, time.UTC); !got.CreatedAt.Equal(want) {
		t.Errorf("created at %v, want %v", got.CreatedAt, want)
	}
}

func TestStateOfAContainer(t *testing.T) {
	begun, ended := "2026-11-20T10:00:00Z", "2026-11-20T09:00:00Z"
	tests := []struct {
		name     string
		state    container.State
		pid      int
		finished bool
	}{
		{"one that was started again has no end", container.State{Status: "running", Pid: 7, StartedAt: begun, FinishedAt: ended}, 7, false},
		{"a paused one keeps its process", container.State{Status: "paused", Pid: 7, StartedAt: begun, FinishedAt: "0001-01-01T00:00:00Z"}, 7, false},
		{"one that ended has an end and no process", container.State{Status: "exited", StartedAt: ended, FinishedAt: begun}, 0, true},
		{"one that never ran has neither", container.State{Status: "created", StartedAt: "0001-01-01T00:00:00Z", FinishedAt: "0001-01-01T00:00:00Z"}, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var c inventory.Container
			setState(&c, &tt.state)
			if c.PID != tt.pid || c.FinishedAt.IsZero() == tt.finished {
				t.Errorf("pid %d, finished at %v", c.PID, c.FinishedAt)
			}
		})
	}
}

// A shell that is asked to run one command becomes that command; a person's exec of another is none of the engine's.
func TestTheEnginesOwnQuestionWhetherAContainerIsWell(t *testing.T) {
	for _, row := range []struct {
		test, argv string
		want       bool
	}{
		{"CMD-SHELL,wget -q x || exit 1", "/bin/sh,-c,wget -q x || exit 1", true}, {"CMD-SHELL,sleep 3", "sleep,3", true}, {"CMD,sleep,3", "sleep,3", true},
		{"CMD-SHELL,sleep 3", "sleep,1000", false}, {"NONE", "sh", false},
	} {
		config := &container.Config{Healthcheck: &container.HealthConfig{Test: strings.Split(row.test, ",")}}
		if got := isHealthCheck(config, strings.Split(row.argv, ",")); got != row.want {
			t.Errorf("%q, %q: %v", row.test, row.argv, got)
		}
	}
}

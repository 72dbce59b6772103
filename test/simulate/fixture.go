package simulate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Fixture is a failure in the form of the corpus: looks, and what had to come of
// the last of them.
type Fixture struct {
	Name      string            `json:"name"`
	Note      string            `json:"note"`
	Policy    string            `json:"policy,omitempty"` // strict; left out, the shipped one
	Snapshots []json.RawMessage `json:"snapshots"`
	Truth     struct {
		Reap []int `json:"reap"`
		Keep []int `json:"keep"`
	} `json:"truth"`
	Containers struct {
		Reap []string `json:"reap"`
		Keep []string `json:"keep"`
	} `json:"containers"`
}

// NewFixture saves what went wrong with what had to come of it.
func NewFixture(s Script, f Failure) (Fixture, error) {
	fixture := Fixture{Name: fmt.Sprintf("simulated-%d-%s", s.Seed, slug(f.Property+" "+f.Policy+" "+f.Kind)), Note: f.Property + ": " + f.Text + ". " + s.String()}
	if f.Policy == "strict" {
		fixture.Policy = f.Policy
	}
	fixture.Truth.Reap, fixture.Truth.Keep = []int{}, []int{}
	fixture.Containers.Reap, fixture.Containers.Keep = []string{}, []string{}
	if f.Property == InTime {
		fixture.Truth.Reap, fixture.Containers.Reap = append(fixture.Truth.Reap, f.PIDs...), append(fixture.Containers.Reap, f.Containers...)
	} else {
		fixture.Truth.Keep, fixture.Containers.Keep = append(fixture.Truth.Keep, f.PIDs...), append(fixture.Containers.Keep, f.Containers...)
	}
	for _, look := range f.Snapshots {
		var text bytes.Buffer
		if err := inventory.Write(&text, look); err != nil {
			return Fixture{}, fmt.Errorf("write a look: %w", err)
		}
		fixture.Snapshots = append(fixture.Snapshots, json.RawMessage(bytes.TrimSpace(text.Bytes())))
	}
	return fixture, nil
}

// Replay judges the looks of a fixture as a daemon that made them, and returns
// what came out wrong at the last, empty for nothing.
func (j *Judge) Replay(f Fixture) (wrong []string, err error) {
	var last reaps
	var past memory
	asked := j.Shipped
	if f.Policy == "strict" {
		asked = j.Strict
	}
	for _, raw := range f.Snapshots {
		look, err := inventory.Read(bytes.NewReader(raw))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		past = past.after(j.Correlate(past, look))
		last = j.reaps(past.previous, asked, false)
	}
	say := func(is, want bool, what string, id any) {
		if is && !want {
			wrong = append(wrong, fmt.Sprintf("%s %v is in use and would be ended", what, id))
		} else if want && !is {
			wrong = append(wrong, fmt.Sprintf("%s %v is a provable orphan and would be left", what, id))
		}
	}
	for i, pids := range [][]int{f.Truth.Keep, f.Truth.Reap} {
		for _, pid := range pids {
			say(last.pids[pid], i == 1, "process", pid)
		}
	}
	for i, ids := range [][]string{f.Containers.Keep, f.Containers.Reap} {
		for _, id := range ids {
			say(last.containers[id], i == 1, "container", id)
		}
	}
	return wrong, nil
}

// String is a script in one line: who is there, and what happens.
func (s Script) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "seed %d", s.Seed)
	if s.Host.UID != 0 {
		fmt.Fprintf(&text, ", seen by user %d", s.Host.UID)
	}
	if s.Only != "" {
		fmt.Fprintf(&text, " of %s", s.Only)
	}
	if s.Host.Podman {
		text.WriteString(", podman")
	}
	if s.Host.Away {
		fmt.Fprintf(&text, ", engine in a machine %s off", s.Host.Skew)
	}
	for _, scene := range s.Scenes {
		fmt.Fprintf(&text, ", %d: %s", scene.ID, scene.Name)
	}
	text.WriteString("; then")
	for i, step := range s.Steps {
		if i > 0 {
			text.WriteString(",")
		}
		fmt.Fprintf(&text, " %s", step.Name)
		if !step.look {
			fmt.Fprintf(&text, " (%d)", step.Scene)
		}
	}
	return text.String()
}

func slug(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, text)
}

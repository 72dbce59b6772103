package catalogue

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
)

// recorded is a client that really ran, with a server or two below it: a
// snapshot, and what each process is: "session codex", "server", "" for what
// nobody can know by its name.
type recorded struct {
	Snapshot json.RawMessage   `json:"snapshot"`
	Want     map[string]string `json:"want"` // by PID
}

func TestRecordedClientsAreKnown(t *testing.T) {
	files, err := filepath.Glob("testdata/recorded/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { compareRecorded(t, file) })
	}
}

func compareRecorded(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r recorded
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	snapshot, err := inventory.Read(bytes.NewReader(r.Snapshot))
	if err != nil {
		t.Fatal(err)
	}
	if len(snapshot.Processes) != len(r.Want) {
		t.Errorf("%d processes, and for %d of them it is said what they are", len(snapshot.Processes), len(r.Want))
	}
	for i := range snapshot.Processes {
		p := &snapshot.Processes[i]
		if got := said(New().Process(p)); got != r.Want[p.ID().String()] {
			t.Errorf("%s %q is %q, want %q", p.ID(), p.Args(), got, r.Want[p.ID().String()])
		}
	}
}

// said is a class in words.
func said(class inventory.Class) string {
	if class.Role == inventory.RoleNone {
		return ""
	}
	text := roleName(class.Role)
	if class.Name != "" {
		text += " " + class.Name
	}
	if class.Headless {
		text += ", headless"
	}
	if class.Part {
		text += ", part"
	}
	return text
}

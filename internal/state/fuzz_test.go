package state

import (
	"os"
	"testing"
)

// What stands in a state directory keeps things: whatever it is, it is understood
// or an error.
func FuzzFiles(f *testing.F) {
	f.Add([]byte(`{"version":1,"pins":[{"id":"56:100","members":["56:100"],"boot_id":"b","by_uid":0,"at":"2026-11-20T10:00:00Z"}]}`))
	f.Add([]byte(`{"version":1,"until":"2026-11-20T10:00:00Z","reason":"x","by_uid":0,"at":"2026-11-20T10:00:00Z"}`))
	f.Add([]byte(`{"version":1,"pins":[{"id":""}]}`))
	f.Add([]byte(`{"version":2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d := Dir(t.TempDir())
		for _, file := range []string{pinsFile, pauseFile} {
			if err := os.WriteFile(d.path(file), data, privateFile); err != nil {
				t.Fatal(err)
			}
		}
		pins, err := d.Pins("b", noon)
		for _, pin := range pins {
			if pin.ID == "" {
				t.Error("a pin keeps nothing")
			}
		}
		if _, pinnedErr := d.Pinned("b", noon); (err == nil) != (pinnedErr == nil) {
			t.Errorf("pins: %v, pinned: %v", err, pinnedErr)
		}
		_, _, _ = d.Paused(noon)
	})
}

package inventory

import (
	"bytes"
	"testing"
)

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"version":1,"taken_at":"2026-11-20T10:00:00Z","host":{"os":"linux"},"sources":[{"name":"processes","status":"ok"}],
"processes":[{"pid":141,"start":1,"ppid":1,"argv":["node"],"stdin":{"kind":"pipe","id":"pipe:[7]","peer":"closed","holders":[]},"env":{"OPENCODE_PID":"44"}}],
"containers":[{"id":"ab","labels":{"a":"b"},"state":"running","open_stdin":null}]}`))
	f.Add([]byte(`{"version":1,"processes":null}`))
	f.Add([]byte("\x1f\x8b\x08\x00"))
	f.Add([]byte("\xef\xbb\xbf{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		snapshot, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := Write(&again, snapshot); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		if _, err := Read(&again); err != nil {
			t.Errorf("what was written cannot be read: %v\n%s", err, again.Bytes())
		}
	})
}

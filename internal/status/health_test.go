package status

import (
	"errors"
	"testing"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/serve"
)

func TestADaemonOfAnotherIsNamedWithWhatTellsMoreOfIt(t *testing.T) {
	const asks = "reaperd health --listen 127.0.0.1:9723   asks that one"
	for _, row := range []struct {
		world       string
		uid, reader int
		says, hint  string
	}{
		{"root's, asked by a user", 0, 1000, "root", asks + "; sudo reaperd status   says more"},
		{"a user's, asked by root", 4711000, 0, "4711000", asks + "; su 4711000 -c 'reaperd status'   says more; reaperd run   starts one of your own"},
		{"a user's, asked by another", 4711000, 1000, "4711000", asks + "; reaperd run   starts one of your own"},
	} {
		err := ofAnother(&serve.AnothersError{Address: "127.0.0.1:9723", UID: row.uid}, row.reader)
		var advised *advice.Error
		if want := "the daemon at 127.0.0.1:9723 is that of " + row.says + ", and none answers on your socket"; !errors.As(err, &advised) || err.Error() != want || advised.Hint != row.hint {
			t.Errorf("%s: %q, hint %q", row.world, err, advised.Hint)
		}
	}
}

package daemon

import (
	"slices"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/policyfile"
)

func TestTheNextSweepsInTheLogAreForPrograms(t *testing.T) {
	attrs := effective(policyfile.Shipped())
	next, _ := attrs[slices.Index(attrs, any("next"))+1].([]string)
	if len(next) != 3 {
		t.Fatalf("next %q", next)
	}
	for _, at := range next {
		if _, err := time.Parse(time.RFC3339, at); err != nil {
			t.Error(err)
		}
	}
}

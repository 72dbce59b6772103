package top

import (
	"fmt"
	"testing"

	"github.com/reaperd/reaperd/internal/policy"
)

// BenchmarkAKey measures one key among 500 servers.
func BenchmarkAKey(b *testing.B) {
	w := newWorld()
	w.Verdicts = make([]policy.Verdict, 0, 500)
	owner := w.session("claude-code", 1)
	for pid := range 500 {
		w.server(fmt.Sprintf("server-%03d", pid), 1000+10*pid, owner)
	}
	for _, filter := range []string{"", "server-4"} {
		b.Run("filter "+filter, func(b *testing.B) {
			m := New(Options{UTF8: true, Filter: filter}, at)
			m, _ = m.Update(Seen{Tree: w.tree(), From: Daemon}, at)
			for b.Loop() {
				m, _ = m.Update(Key("down"), at)
				_, _ = m.Frame(), m.Wakes()
			}
		})
	}
}

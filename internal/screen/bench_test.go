package screen

import (
	"io"
	"testing"

	"github.com/reaperd/reaperd/internal/account"
)

// BenchmarkAccount is what one look costs to tell: the account, and scan's text.
func BenchmarkAccount(b *testing.B) {
	for _, s := range scenesOf(b, "many") {
		b.Run("account", func(b *testing.B) {
			for b.Loop() {
				account.Of(s.look)
			}
		})
		a := account.Of(s.look)
		b.Run("scan", func(b *testing.B) {
			for b.Loop() {
				if err := Scan(io.Discard, a, options(100)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

package page

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
)

func TestThePolicyLetsInThePagesOwnStyleAndScriptOnly(t *testing.T) {
	p := New()
	document := whole(t, Input{Tree: tree()})
	for _, own := range []struct{ directive, element, text string }{{"script-src", "script", script}, {"style-src", "style", style}} {
		sum := sha256.Sum256([]byte(own.text))
		if want := own.directive + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';"; !strings.Contains(p.Policy(), want) {
			t.Errorf("no %s in %s", want, p.Policy())
		}
		if !strings.Contains(document, "<"+own.element+">"+own.text+"</"+own.element+">") {
			t.Errorf("the %s is another than the policy has the hash of", own.element)
		}
	}
	if !strings.HasPrefix(p.Policy(), "default-src 'none'; ") || strings.Contains(p.Policy(), "unsafe") {
		t.Error(p.Policy())
	}
}

// pieces keeps each write.
type pieces []string

func (p *pieces) Write(text []byte) (int, error) {
	*p = append(*p, string(text))
	return len(text), nil
}

func TestABrowserHasTheFirstScreenWhileTheRestIsWritten(t *testing.T) {
	var written, paused pieces
	pause := func() { paused = written }
	if err := New().Whole(&written, Input{Now: noon, Tree: fiveHundred()}, pause); err != nil {
		t.Fatal(err)
	}
	if len(written) < 3 || !strings.Contains(written[0], "What goes next") || strings.Contains(written[0], "Live sessions") {
		t.Errorf("%d pieces, the first of %d bytes", len(written), len(written[0]))
	}
	if len(paused) != 1 {
		t.Errorf("a pause after %d pieces, want it after the first screen", len(paused))
	}
	gone := errors.New("the browser hung up")
	if err := New().Whole(refuses{gone}, Input{Now: noon, Tree: fiveHundred()}, nil); !errors.Is(err, gone) {
		t.Errorf("%v, want that the browser hung up", err)
	}
}

func TestAShortPageIsWrittenWithoutAPause(t *testing.T) {
	pause := func() { t.Error("a pause for a few servers") }
	if err := New().Whole(new(pieces), Input{Now: noon, Tree: tree(sessions(session(100, 1, server(101))))}, pause); err != nil {
		t.Fatal(err)
	}
}

type refuses struct{ err error }

func (r refuses) Write([]byte) (int, error) { return 0, r.err }

package state

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestAPauseHoldsUntilItsEnd(t *testing.T) {
	d := freshDir(t)
	if _, paused, err := d.Paused(noon); paused || err != nil {
		t.Fatalf("before: %v, %v", paused, err)
	}
	if err := d.Pause(noon, Pause{Until: noon.Add(2 * time.Hour), Reason: "a demo", By: 1000}); err != nil {
		t.Fatal(err)
	}
	pause, paused, err := d.Paused(noon.Add(time.Hour))
	if err != nil || !paused || !pause.Until.Equal(noon.Add(2*time.Hour)) || pause.Reason != "a demo" || pause.By != 1000 {
		t.Errorf("during: %+v, %v, %v", pause, paused, err)
	}
	if _, paused, err := d.Paused(noon.Add(2 * time.Hour)); paused || err != nil {
		t.Errorf("after: %v, %v", paused, err)
	}
}

func TestAPauseWithoutAnEndHoldsUntilResumed(t *testing.T) {
	d := freshDir(t)
	if err := d.Pause(noon, Pause{}); err != nil {
		t.Fatal(err)
	}
	if _, paused, err := d.Paused(noon.AddDate(1, 0, 0)); !paused || err != nil {
		t.Errorf("a year later: %v, %v", paused, err)
	}
	if err := d.Resume(); err != nil {
		t.Errorf("resume: %v", err)
	}
	if _, paused, err := d.Paused(noon); paused || err != nil {
		t.Errorf("after: %v, %v", paused, err)
	}
	if err := d.Resume(); err != nil {
		t.Errorf("a second resume: %v", err)
	}
}

func TestADamagedPauseIsNoLeaveToAct(t *testing.T) {
	d := Dir(t.TempDir())
	if err := os.WriteFile(d.path(pauseFile), []byte(`{"version":1,"until":"tomorrow"}`), privateFile); err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.Paused(noon); err == nil || !strings.Contains(err.Error(), d.path(pauseFile)) {
		t.Errorf("got %v", err)
	}
	if err := d.Resume(); err != nil {
		t.Errorf("a damaged pause cannot be ended: %v", err)
	}
	if _, paused, err := d.Paused(noon); paused || err != nil {
		t.Errorf("after: %v, %v", paused, err)
	}
}

func TestAReasonIsShownWholeOrRefused(t *testing.T) {
	longest := strings.Repeat("é", mostReason)
	if err := CheckReason(longest); err != nil {
		t.Error(err)
	}
	if got := (Pause{Reason: longest}).Sentence(); got != "paused: "+longest {
		t.Errorf("it is cut: %s", got)
	}
	if err := CheckReason(longest + "x"); err == nil || err.Error() != "the reason has 501 characters: want at most 500" {
		t.Errorf("got %v", err)
	}
}

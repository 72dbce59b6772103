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
	if err := d.Pause(noon, Pause{Until: noon.Add(2 * time.Hour), Reason: "a demo"}); err != nil {
		t.Fatal(err)
	}
	pause, paused, err := d.Paused(noon.Add(time.Hour))
	if err != nil || !paused || !pause.Until.Equal(noon.Add(2*time.Hour)) || pause.Reason != "a demo" || pause.By != os.Geteuid() {
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
	if was, err := d.Resume(noon); !was.Paused || err != nil {
		t.Errorf("resume: %v, %v", was, err)
	}
	if _, paused, err := d.Paused(noon); paused || err != nil {
		t.Errorf("after: %v, %v", paused, err)
	}
	if was, err := d.Resume(noon); was != (Resumed{}) || err != nil {
		t.Errorf("a second resume: %v, %v", was, err)
	}
}

func TestAPauseThatIsOverIsNotResumed(t *testing.T) {
	d, end := freshDir(t), noon.Add(time.Minute)
	if err := d.Pause(noon, Pause{Until: end}); err != nil {
		t.Fatal(err)
	}
	if was, err := d.Resume(end.Add(2 * time.Second)); was.Paused || !was.Over.Equal(end) || err != nil {
		t.Errorf("got %+v, %v", was, err)
	}
	if was, err := d.Resume(end.Add(3 * time.Second)); was != (Resumed{}) || err != nil {
		t.Errorf("a second resume: %+v, %v", was, err)
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
	if was, err := d.Resume(noon); !was.Paused || err != nil {
		t.Errorf("a damaged pause can be ended: %v, %v", was, err)
	}
	if _, paused, err := d.Paused(noon); paused || err != nil {
		t.Errorf("after: %v, %v", paused, err)
	}
}

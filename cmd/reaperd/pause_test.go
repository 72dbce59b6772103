package main

import (
	"strings"
	"testing"
	"time"
)

func TestPauseAndResume(t *testing.T) {
	d := ownState(t)
	before := time.Now()
	if got := command(t, "pause", "1d2h", "--reason", "a demo"); got.code != exitOK || !strings.HasPrefix(got.out, "Paused until ") {
		t.Fatalf("pause: %+v", got)
	}
	pause, paused, err := d.Paused(time.Now())
	if err != nil || !paused || pause.Reason != "a demo" || pause.Until.Sub(before).Round(time.Minute) != 26*time.Hour {
		t.Errorf("got %+v, %v, %v", pause, paused, err)
	}
	if got := command(t, "sweep", "--yes", "--settle", "0", "--rule", "duplicates"); got.code == exitUsage {
		t.Errorf("a sweep meanwhile: %+v", got)
	}
	if got := command(t, "resume"); got.code != exitOK || !strings.HasPrefix(got.out, "Resumed") {
		t.Errorf("resume: %+v", got)
	}
	if _, paused, err := d.Paused(time.Now()); paused || err != nil {
		t.Errorf("afterwards: %v, %v", paused, err)
	}
	if got := command(t, "resume"); got.code != exitOK || !strings.Contains(got.out, "not paused") {
		t.Errorf("a second resume: %+v", got)
	}
}

// TestAPauseWithoutATimeIsAnHour: nobody forgets one for good.
func TestAPauseWithoutATimeIsAnHour(t *testing.T) {
	d := ownState(t)
	if got := command(t, "pause"); got.code != exitOK || !strings.HasPrefix(got.out, "Paused until ") {
		t.Fatalf("pause: %+v", got)
	}
	if pause, paused, err := d.Paused(time.Now()); !paused || err != nil || time.Until(pause.Until).Round(time.Minute) != time.Hour {
		t.Errorf("%+v, %v, %v", pause, paused, err)
	}
}

// TestAWrongDurationIsToldOnce: the hint does not repeat the error.
func TestAWrongDurationIsToldOnce(t *testing.T) {
	ownState(t)
	for _, line := range [][]string{{"pause", "soon"}, {"pin", "memory", "--for", "soon"}} {
		got := command(t, line...)
		if got.code != exitUsage || strings.Count(got.err, "want a time") != 1 {
			t.Errorf("%q: code %d, %s", line, got.code, got.err)
		}
	}
}

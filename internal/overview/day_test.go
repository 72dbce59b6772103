package overview

import (
	"testing"
	"time"
)

func TestADayShowsTheLast24Hours(t *testing.T) {
	var d Day
	for _, at := range []time.Duration{23 * time.Hour, 0, time.Hour, 25 * time.Hour, time.Hour - time.Minute} {
		d.Add(ago(at), Step{Reaped: 1, FreedBytes: 10})
	}
	d.Add(noon, Step{Found: 3})
	steps := d.Steps(noon.Add(10 * time.Minute))
	if len(steps) != 48 || !steps[47].From.Equal(noon) || steps[47].Found != 3 || steps[47].Reaped != 1 {
		t.Fatalf("%d steps, the last %+v", len(steps), steps[len(steps)-1])
	}
	reaped, bytes := 0, uint64(0)
	for i, step := range steps {
		reaped, bytes = reaped+step.Reaped, bytes+step.FreedBytes
		if i > 0 && !step.From.Equal(steps[i-1].From.Add(stepLength)) {
			t.Errorf("step %d begins at %s", i, step.From)
		}
	}
	if reaped != 4 || bytes != 40 {
		t.Errorf("%d reaped, %d bytes: what is older than a day counts, or something younger does not", reaped, bytes)
	}
}

func TestADayDoesNotGrow(t *testing.T) {
	var d Day
	for i := range 10_000 {
		d.Add(noon.Add(time.Duration(i)*stepLength), Step{Reaped: 1})
	}
	if len(d.steps) > 96 {
		t.Errorf("%d steps are kept", len(d.steps))
	}
	for _, step := range d.Steps(noon.Add(9_999 * stepLength)) {
		if step.Reaped != 1 {
			t.Errorf("%+v: forgotten too early", step)
		}
	}
}

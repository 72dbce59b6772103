package human

import (
	"slices"
	"testing"
)

func TestTheWordsThatJournalsAndMetricsHaveStay(t *testing.T) {
	want := []Result{"exited", "killed", "already gone", "changed", "refused", "escaped", "failed"}
	if got := Results(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWhatAnOutcomeSaysOfItsTarget(t *testing.T) {
	for _, result := range append(Results(), Deferred, "") {
		reaped := slices.Contains([]Result{Exited, Killed}, result)
		gone := reaped || result == AlreadyGone
		incomplete := slices.Contains([]Result{Escaped, ResultFailed}, result)
		if result.Reaped() != reaped || result.Gone() != gone || result.Incomplete() != incomplete {
			t.Errorf("%q: reaped %v, gone %v, incomplete %v", result, result.Reaped(), result.Gone(), result.Incomplete())
		}
	}
}

func TestAnOutcomeIsNotToldTwice(t *testing.T) {
	for detail, want := range map[string]string{
		"": "exited", "1 process exited within 20ms of being asked": "1 process exited within 20ms of being asked", "it took its time": "exited, it took its time",
	} {
		if got := Exited.With(detail); got != want {
			t.Errorf("%q: got %q, want %q", detail, got, want)
		}
	}
}

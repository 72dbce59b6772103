package graph

import (
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

func TestSinceWhenALimitIsExceeded(t *testing.T) {
	over := func(s Sample) bool { return s.CPUPercent > 50 }
	for _, c := range []struct {
		name  string
		cpu   []float64
		first int // the second of the first sample, -1 for none
	}{
		{"never", []float64{1, 2}, -1},
		{"since the second look", []float64{1, 60, 70, 80}, 10},
		{"not any more", []float64{60, 70, 1}, -1},
		{"again", []float64{60, 1, 70, 80}, 20},
		{"not known at first", []float64{-1, 60}, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			var samples *Samples
			for i, cpu := range c.cpu {
				samples = samples.With(Sample{At: at(time.Duration(10*i) * time.Second), CPUPercent: cpu})
			}
			first, found := FirstWhile(samples, over)
			if found != (c.first >= 0) || found && first.At != at(time.Duration(c.first)*time.Second) {
				t.Errorf("first %v (%v), want second %d", first.At.At, found, c.first)
			}
		})
	}
}

func TestADipIsNotForgottenWhenSamplesAreMerged(t *testing.T) {
	var samples *Samples
	for i := range 1000 {
		cpu := 90.0
		if i == 500 {
			cpu = 1
		}
		samples = samples.With(Sample{At: at(time.Duration(i) * time.Second), CPUPercent: cpu})
	}
	first, found := FirstWhile(samples, func(s Sample) bool { return s.CPUPercent > 50 })
	if !found || first.At.At.Before(at(500*time.Second).At) || samples.count > mostSamples {
		t.Errorf("since %v in %d samples: the dip after 500 s is forgotten", first.At.At, samples.count)
	}
}

func TestAShareOfACoreIsNotMeasuredInAMoment(t *testing.T) {
	used := func(seconds float64) totalUse { return totalUse{Processes: 1, CPU: seconds} }
	first := history{}.Next(used(10), at(0))
	second := first.Next(used(11), at(2*time.Second))
	third := second.Next(used(11), at(2*time.Second+50*time.Millisecond))
	fourth := third.Next(used(11), at(4*time.Second))
	if first.CPUPercent.IsKnown() || second.CPUPercent.Or(-1) != 50 || third.CPUPercent.Or(-1) != 50 || fourth.CPUPercent.Or(-1) != 0 {
		t.Errorf("%v %v %v %v, want unknown, 50, 50 still, 0", first.CPUPercent, second.CPUPercent, third.CPUPercent, fourth.CPUPercent)
	}
}

// TestHalfASecondWithoutATickIsNoMeasure, until something was measured: who works may have had none in it.
func TestHalfASecondWithoutATickIsNoMeasure(t *testing.T) {
	used := func(seconds float64) totalUse { return totalUse{Processes: 1, CPU: seconds} }
	first := history{}.Next(used(10), at(0))
	second := first.Next(used(10), at(600*time.Millisecond))
	third := second.Next(used(10.6), at(30*time.Second))
	fourth := third.Next(used(10.6), at(30*time.Second+600*time.Millisecond))
	if second.CPUPercent.IsKnown() || third.CPUPercent.Or(-1) < 1.9 || third.CPUPercent.Or(-1) > 2.1 || fourth.CPUPercent.Or(-1) != 0 {
		t.Errorf("%v %v %v, want unknown, 2, 0", second.CPUPercent, third.CPUPercent, fourth.CPUPercent)
	}
}

func TestForHowLongSomethingIsIdle(t *testing.T) {
	used := func(io uint64, processes int) totalUse { return totalUse{Processes: processes, IO: io, IOKnown: true} }
	for _, c := range []struct {
		name   string
		totals []totalUse
		want   inventory.Fact[time.Duration]
	}{
		{"one look says nothing", []totalUse{used(5, 1)}, inventory.Fact[time.Duration]{}},
		{"nothing happened between three looks", []totalUse{used(5, 1), used(5, 1), used(5, 1)}, inventory.Known(2 * time.Minute)},
		{"a runtime has read the limits of its cgroup each minute", []totalUse{used(5, 1), used(16, 1), used(27, 1)}, inventory.Known(2 * time.Minute)},
		{"it was called once, by the shortest message there is", []totalUse{used(5, 1), used(5, 1), used(5+uint64(len(`{"jsonrpc":"2.0","method":"x"}`)), 1)}, inventory.Known(time.Duration(0))},
		{"it counts from the beginning again", []totalUse{used(500, 1), used(500, 1), used(5, 1)}, inventory.Known(time.Duration(0))},
		{"it has another process", []totalUse{used(5, 1), used(5, 2)}, inventory.Fact[time.Duration]{}},
		{"its input could not be read", []totalUse{used(5, 1), {Processes: 1}}, inventory.Fact[time.Duration]{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var h history
			for i, total := range c.totals {
				h = h.Next(total, at(time.Duration(i)*time.Minute))
			}
			if h.Idle != c.want {
				t.Errorf("idle %v, want %v", h.Idle, c.want)
			}
		})
	}
}

func TestATickBetweenTwoQuickLooksIsNoUse(t *testing.T) {
	for _, c := range []struct {
		name  string
		apart time.Duration
		used  float64 // seconds of processor time between the looks
		want  bool
	}{
		{"a timer's tick within three seconds", 3 * time.Second, 0.01, true},
		{"a timer's three ticks within half a minute", 30 * time.Second, 0.03, true},
		{"two ticks within three seconds", 3 * time.Second, 0.02, false},
		{"a call's hundred ticks within a minute", time.Minute, 1, false},
	} {
		total := func(cpu float64) totalUse { return totalUse{Processes: 1, CPU: cpu, IOKnown: true} }
		h := history{}.Next(total(0.29), at(0))
		if got := h.IsIdle(total(0.29+c.used), at(c.apart)); got != c.want {
			t.Errorf("%s: idle %v, want %v", c.name, got, c.want)
		}
	}
}

func TestMemoryIsOfTheWeakestKindOfFigure(t *testing.T) {
	pss := &inventory.Process{MemoryBytes: inventory.Known(uint64(10)), MemoryKind: "pss", RSSBytes: inventory.Known(uint64(30))}
	rss := &inventory.Process{RSSBytes: inventory.Known(uint64(5))}
	if total := sumOf([]*inventory.Process{pss, pss}); total.MemoryBytes != 20 || total.MemoryKind != "pss" {
		t.Errorf("%+v, want 20 bytes of pss", total)
	}
	if total := sumOf([]*inventory.Process{pss, rss}); total.MemoryBytes != 15 || total.MemoryKind != "rss" {
		t.Errorf("%+v, want 15 bytes of rss", total)
	}
}

func TestTwoHistoriesOfOneDoNotShareWhatComesAfter(t *testing.T) {
	sample := func(n, of int) Sample { return Sample{At: at(time.Duration(n) * time.Second), CPUPercent: float64(of)} }
	var samples *Samples
	for n := range 3 * mostSamples {
		one, other := samples.With(sample(n, 1)), samples.With(sample(n, 2))
		if one.Sample != sample(n, 1) || other.Sample != sample(n, 2) || one.count > mostSamples {
			t.Fatalf("look %d: %d samples, the first ends in %+v, the second in %+v", n, one.count, one.Sample, other.Sample)
		}
		samples = one
	}
}

// TestWhatWasNeverSeenInUseMayBeIdleForLonger than since the first look.
func TestWhatWasNeverSeenInUseMayBeIdleForLonger(t *testing.T) {
	rests := func(cpu float64) totalUse { return totalUse{Processes: 1, CPU: cpu, IOKnown: true} }
	first := history{}.Next(rests(1), at(0))
	never := first.Next(rests(1), at(10*time.Second))
	worked := first.Next(rests(9), at(10*time.Second)).Next(rests(9), at(20*time.Second))
	for _, row := range []struct {
		world string
		is    history
		want  bool
	}{
		{"two looks saw it idle", never, true},
		{"it was at work between the first two", worked, false},
		{"it has other processes now", never.Next(totalUse{Processes: 2, IOKnown: true}, at(20*time.Second)), false},
	} {
		if got := row.is.AtLeast(); got != row.want {
			t.Errorf("%s: %v", row.world, got)
		}
	}
}

package graph

import (
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// idleCPU is the share of a core below which a process counts as idle: a runtime's
// timers use that much.
const idleCPU = 0.001

// oneTick is a little more than the least processor time that the kernel counts, 0.01 s:
// between two looks one tick more may be counted than was used.
const oneTick = 0.011

// leastMessage is the length of the shortest message of JSON-RPC, {"jsonrpc":"2.0","method":"x"}:
// who has read and written fewer characters was not called. Go's runtime (1.25 and later)
// reads the limit of its cgroup every minute, 3 to 11 characters, whatever the program does.
const leastMessage = 30

// leastMeasure is the least time over which a share of a core is measured. The kernel
// counts in ticks, so two looks right after each other say nothing.
const leastMeasure = 500 * time.Millisecond

// leastNothing is the least time within which no processor time at all tells a reader that none is used: a process at
// two percent of a core may go for half a second without a tick of its own. It is less than the second between the looks of a
// scan, which may be a little short.
const leastNothing = 900 * time.Millisecond

// totalUse is what some processes have used since they started.
type totalUse struct {
	Processes int
	CPU       float64 // seconds
	IO        uint64  // characters read and written
	IOKnown   bool    // CPU and IO are known of every process
	// MemoryBytes are of MemoryKind, the weakest kind of figure among the processes.
	MemoryBytes uint64
	MemoryKind  string
}

// sumOf adds up what processes have used.
func sumOf(processes []*inventory.Process) totalUse {
	t := totalUse{Processes: len(processes), IOKnown: len(processes) > 0}
	for _, p := range processes {
		t.CPU += p.CPUSeconds.Or(0)
		chars, known := p.IOChars.Get()
		t.IO += chars
		t.IOKnown = t.IOKnown && known && p.CPUSeconds.IsKnown()
		t.MemoryBytes += memoryOf(p)
		if kind := memoryKindOf(p); t.MemoryKind == "" || kind == "rss" {
			t.MemoryKind = kind
		}
	}
	return t
}

// memoryOf is the best figure, in bytes, for the memory that ending a process frees.
func memoryOf(p *inventory.Process) uint64 { return p.MemoryBytes.Or(p.RSSBytes.Or(0)) }

func memoryKindOf(p *inventory.Process) string {
	if p.MemoryKind == "" {
		return "rss"
	}
	return p.MemoryKind
}

// Sample is the use at one look. A sample that stands for several looks has the
// lowest figures of them, so that "more than" holds for each.
type Sample struct {
	At inventory.Moment
	// CPUPercent is of one core, between From, the look before, and At;
	// negative is not known.
	CPUPercent  float64
	From        inventory.Moment
	MemoryBytes uint64
}

// Samples are those of one thing, the latest in front; nil is none. Looks share them: what one look
// has made is never changed.
type Samples struct {
	Sample
	before *Samples
	count  int
}

// FirstWhile finds the first of the samples that satisfy over without a break up to
// the last one. found is false if the last one does not.
func FirstWhile(samples *Samples, over func(Sample) bool) (first Sample, found bool) {
	for at := samples; at != nil && over(at.Sample); at = at.before {
		first, found = at.Sample, true
	}
	return first, found
}

// mostSamples limits how many samples are kept.
const mostSamples = 64

// With are the samples with one more. If there are too many, two neighbours become one first.
func (s *Samples) With(sample Sample) *Samples {
	if s == nil {
		return &Samples{Sample: sample, count: 1}
	}
	if s.count == mostSamples {
		s = s.merged()
	}
	return &Samples{Sample: sample, before: s, count: s.count + 1}
}

// merged makes one sample of each two neighbours, with the lower figures of both.
func (s *Samples) merged() *Samples {
	if s == nil || s.before == nil {
		return s
	}
	a, b := s.before.Sample, s.Sample
	return s.before.before.merged().With(Sample{From: a.From, At: b.At, CPUPercent: min(a.CPUPercent, b.CPUPercent), MemoryBytes: min(a.MemoryBytes, b.MemoryBytes)})
}

// history is what was measured of one thing so far. The zero value is that of a thing
// never seen.
type history struct {
	// CPUPercent is of one core, between the last two looks that are far enough
	// apart.
	CPUPercent inventory.Fact[float64]
	// Idle is how long it has been idle (see [history.IsIdle]), as far as looks have
	// seen.
	Idle    inventory.Fact[time.Duration]
	Samples *Samples

	total     totalUse
	at        inventory.Moment
	seen      bool
	idleSince inventory.Moment
	atLeast   bool // no look has seen it in use: it may be idle for longer
	// cpuFrom and cpuSeconds are the start of the current measurement of a share of a
	// core.
	cpuFrom    inventory.Moment
	cpuSeconds float64
}

// IsIdle reports next to no processor time, and less I/O than a message has, since the last
// look. It is false if either could not be read, or if the processes have changed.
func (h history) IsIdle(total totalUse, now inventory.Moment) bool {
	return h.isComparable(total) && total.IOKnown && h.total.IOKnown && total.IO-h.total.IO < leastMessage &&
		total.CPU-h.total.CPU <= oneTick+idleCPU*now.Since(h.at).Seconds()
}

func (h history) isComparable(total totalUse) bool {
	return h.seen && h.total.Processes == total.Processes && total.Processes > 0
}

// IdleSince is the first look of the unbroken row that saw it idle, or the last look
// if that saw it in use.
func (h history) IdleSince() inventory.Moment { return h.idleSince }

// AtLeast reports that no look has seen it in use: it may be idle for longer than since the first.
func (h history) AtLeast() bool { return h.atLeast }

// Next is the history with one more look.
func (h history) Next(total totalUse, now inventory.Moment) history {
	next := history{total: total, at: now, seen: true, idleSince: now, atLeast: !h.seen, cpuFrom: now, cpuSeconds: total.CPU}
	if h.isComparable(total) {
		next.measureCPU(h)
		if h.IsIdle(total, now) {
			next.idleSince, next.atLeast = h.idleSince, h.atLeast
		}
		if total.IOKnown && h.total.IOKnown {
			next.Idle = inventory.Known(now.Since(next.idleSince).Round(time.Millisecond))
		}
	}
	next.Samples = h.Samples.With(Sample{From: h.at, At: now, CPUPercent: next.CPUPercent.Or(-1), MemoryBytes: total.MemoryBytes})
	return next
}

// measureCPU continues to measure the share of a core. A short time tells nothing, and where nothing was
// measured before no processor time at all within a short one is unknown too.
func (h *history) measureCPU(past history) {
	seconds, within := h.total.CPU-past.cpuSeconds, h.at.Since(past.cpuFrom)
	isFirst := !past.CPUPercent.IsKnown()
	if within < leastMeasure || isFirst && seconds <= 0 && within < leastNothing {
		h.CPUPercent, h.cpuFrom, h.cpuSeconds = past.CPUPercent, past.cpuFrom, past.cpuSeconds
		return
	}
	h.CPUPercent = inventory.Known(max(0, 100*seconds/within.Seconds()))
}

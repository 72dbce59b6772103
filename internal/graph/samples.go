package graph

import "sync/atomic"

// mostSamples limits how many samples a history keeps.
const mostSamples = 64

// firstSamples is for how many samples a history has room at first.
const firstSamples = 8

// sampleLog is the memory of the samples of one thing. A history and the one that
// comes after it share it: what was written is never changed, and each history sees
// what was written up to its own last sample. nil is empty.
type sampleLog struct {
	written atomic.Int32
	room    []Sample
}

// with adds a sample to those of a history, which are in this log. If there are too
// many, two neighbours become one with the lower figures of both. Another history may
// have been made of the same one before: then its samples are not touched.
func (l *sampleLog) with(samples []Sample, sample Sample) ([]Sample, *sampleLog) {
	n := len(samples)
	if l != nil && n < len(l.room) && l.written.CompareAndSwap(int32(n), int32(n+1)) {
		l.room[n] = sample
		return l.room[: n+1 : n+1], l
	}
	if n == mostSamples {
		return newSampleLog(merged(append(samples[:n:n], sample)))
	}
	return newSampleLog(append(samples[:n:n], sample))
}

// newSampleLog copies samples into a log with room for as many again.
func newSampleLog(samples []Sample) ([]Sample, *sampleLog) {
	n := len(samples)
	l := &sampleLog{room: make([]Sample, min(mostSamples, max(firstSamples, 2*n)))}
	l.written.Store(int32(n))
	copy(l.room, samples)
	return l.room[:n:n], l
}

// merged makes one sample of each two neighbours.
func merged(samples []Sample) []Sample {
	half := samples[:0]
	for i := 0; i+1 < len(samples); i += 2 {
		a, b := samples[i], samples[i+1]
		half = append(half, Sample{From: a.From, At: a.At, CPUPercent: min(a.CPUPercent, b.CPUPercent), MemoryBytes: min(a.MemoryBytes, b.MemoryBytes)})
	}
	if len(samples)%2 == 1 {
		half = append(half, samples[len(samples)-1])
	}
	return half
}

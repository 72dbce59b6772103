package serve

import (
	"maps"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/reaperd/reaperd/internal/inventory"
)

func idleBuckets() []float64 {
	const minute, hour, day = 60.0, 3600.0, 86400.0
	return []float64{5 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 8 * hour, day, 3 * day, 7 * day}
}

// spread is a histogram, by client, of present values. Unlike an ordinary histogram
// it starts again with each sweep.
type spread struct {
	desc    *prometheus.Desc
	buckets []float64
	values  map[string][]float64 // by client; clients that were shown stay, empty
}

// Describe implements [prometheus.Collector].
func (s *spread) Describe(out chan<- *prometheus.Desc) { out <- s.desc }

// Collect implements [prometheus.Collector].
func (s *spread) Collect(out chan<- prometheus.Metric) {
	for _, client := range slices.Sorted(maps.Keys(s.values)) {
		sum, below := 0.0, map[float64]uint64{}
		for _, value := range s.values[client] {
			sum += value
			for _, bound := range s.buckets {
				if value <= bound {
					below[bound]++
				}
			}
		}
		for _, bound := range s.buckets {
			below[bound] += 0
		}
		out <- prometheus.MustNewConstHistogram(s.desc, uint64(len(s.values[client])), sum, below, client)
	}
}

// reset forgets the values and keeps the clients.
func (s *spread) reset() {
	for client := range s.values {
		s.values[client] = nil
	}
}

// add adds a value, if it is known. The client is shown in any case.
func (s *spread) add(value inventory.Fact[time.Duration], client string) {
	values := s.values[client]
	if of, known := value.Get(); known {
		values = append(values, of.Seconds())
	}
	s.values[client] = values
}

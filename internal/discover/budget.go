package discover

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// What one user's configurations may cost. What is over it is not used, and that user's gap alone. Files of people are
// far below: a project's has some kilobytes, and a thousand servers weigh half of maxWeight.
const (
	maxBytes   = 8 << 20   // of files
	maxWeight  = 512 << 10 // of servers ([Server.weight])
	maxFolders = 200       // in which sessions of that user work
	maxTime    = 2 * time.Second
	timeRests  = time.Minute // whoever takes longer than maxTime is not read again for so long
	maxTold    = 20          // faults
)

// What all users' configurations may cost together. The servers of those who have fewer come first.
const (
	maxAllWeight = 2 << 20
	maxAllTime   = 5 * time.Second
)

var (
	errBytes     = fmt.Errorf("the files of its user together are larger than %d MiB", maxBytes>>20)
	errWeight    = errors.New("its user's configured servers together are too many, or too long")
	errAllWeight = errors.New("its user's configured servers are too many beside those of all others")
)

// leftOut says of a folder that it was not read.
const leftOut = "was left out: its user has sessions in too many folders, or reading them takes too long"

// weight is about what a server costs in bytes of memory: its text, and something for each word.
func (s *Server) weight() int {
	const each = 64
	weight := each*(2+len(s.Args)) + len(s.Name) + len(s.Command) + len(s.URL)
	for _, arg := range s.Args {
		weight += len(arg)
	}
	return weight
}

func weightOf(servers []Server) (weight int) {
	for i := range servers {
		weight += servers[i].weight()
	}
	return weight
}

// budget is what one look has cost so far. What answers late counts in the look that asked.
type budget struct {
	mu      sync.Mutex
	bytes   map[int]int64 // by user
	weights map[int]int
	folders map[int]int
	took    map[int]time.Duration
	all     time.Duration
	most    time.Duration // for one user
}

func newBudget(most time.Duration) *budget {
	return &budget{most: most, bytes: map[int]int64{}, weights: map[int]int{}, folders: map[int]int{}, took: map[int]time.Duration{}}
}

// takeBytes counts a file of a user; it is an error if it does not fit.
func (b *budget) takeBytes(uid int, size int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bytes[uid]+size > maxBytes {
		return errBytes
	}
	b.bytes[uid] += size
	return nil
}

// takeWeight counts servers of a user; it is an error if they do not fit.
func (b *budget) takeWeight(uid int, servers []Server) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	weight := weightOf(servers)
	if b.weights[uid]+weight > maxWeight {
		return errWeight
	}
	b.weights[uid] += weight
	return nil
}

// admits counts a corner, and reports that its user may have it looked at.
func (b *budget) admits(at corner) bool {
	if at.project {
		b.folders[at.uid]++
	}
	return b.folders[at.uid] <= maxFolders && b.took[at.uid] < b.most && b.all < max(maxAllTime, b.most)
}

// spend counts the time that a corner took.
func (b *budget) spend(at corner, took time.Duration) {
	b.took[at.uid] += took
	b.all += took
}

// inTurn sorts folders so that each user's first comes before anybody's second.
func inTurn(corners []corner) []corner {
	turn, turns := map[corner]int{}, map[int]int{}
	for _, at := range corners {
		turn[at] = turns[at.uid]
		turns[at.uid]++
	}
	slices.SortStableFunc(corners, func(a, b corner) int { return cmp.Compare(turn[a], turn[b]) })
	return corners
}

// overweight are the users whose servers do not fit beside those of the users who have fewer.
func overweight(weights map[int]int) map[int]bool {
	over, all := map[int]bool{}, 0
	byWeight := func(a, b int) int { return cmp.Or(cmp.Compare(weights[a], weights[b]), cmp.Compare(a, b)) }
	for _, uid := range slices.SortedFunc(maps.Keys(weights), byWeight) {
		all += weights[uid]
		over[uid] = all > maxAllWeight
	}
	return over
}

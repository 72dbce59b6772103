package serve

import (
	"cmp"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
)

// Count is how many targets of the last sweep have one finding.
type Count struct {
	Finding graph.Finding `json:"finding"`
	Kind    graph.Kind    `json:"kind"`
	Client  string        `json:"client"`
	// Program is the name of a program that is no client, of which Client tells no more than that.
	Program  string `json:"program,omitempty"`
	Decision string `json:"decision"`
	// Action is what is done to those that are to be reaped; empty for others.
	Action policy.Action `json:"action,omitempty"`
	// Gone marks those that no longer run: the sweep ended them, or found them ended.
	Gone bool `json:"gone,omitempty"`
	// UnderWay marks those that are being stopped: no pause and no mode changes that.
	UnderWay bool `json:"under_way,omitempty"`
	// Ends marks docker runs that no rule stops, and that end by themselves with a container that is reaped.
	Ends   bool `json:"ends_with_container,omitempty"`
	Number int  `json:"count"`
	// SessionPIDs are those of the client's sessions, or of the program's processes, that have these
	// targets or left them, as far as they are known, in ascending order.
	SessionPIDs []int `json:"session_pids,omitempty"`
}

// Came is the result for them: the decision, or that they are gone.
func (c Count) Came() string {
	if c.Gone {
		return "gone now"
	}
	return c.Decision
}

// isLike reports that two counts differ in nothing but how many they count, and whose.
func (c Count) isLike(other Count) bool {
	return c.Finding == other.Finding && c.Kind == other.Kind && c.Client == other.Client && c.Program == other.Program && c.Decision == other.Decision && c.Action == other.Action && c.Gone == other.Gone && c.UnderWay == other.UnderWay && c.Ends == other.Ends
}

// add counts one more target.
func (c *Count) add(target *graph.Target, who clients) {
	c.Number++
	session, known := who.sessionOf(target)
	if c.Program != "" {
		session = who.ownerOf(target).ID
		known = !session.IsZero()
	}
	if at, told := slices.BinarySearch(c.SessionPIDs, session.PID); known && !told {
		c.SessionPIDs = slices.Insert(c.SessionPIDs, at, session.PID)
	}
}

// IsDue reports those whose time has come, or that are being stopped, and that still run.
func (c Count) IsDue() bool {
	return !c.Gone && (c.Decision == policy.Reap.String() || c.Ends || c.UnderWay)
}

// showFindings counts findings, without those of older copies that rest, and targets
// without a finding that are to be reaped or end with what is, or that a sweep by hand is ending.
func (m *Metrics) showFindings(reported []*policy.Verdict, who clients, gone map[string]bool, isEnded func(target string) bool) {
	m.series.findings.reset()
	counts := []Count{}
	for _, v := range reported {
		if (v.Target.Finding == graph.FindingNone && !goes(v) || v.Rests()) && !isEnded(v.Target.ID) {
			continue
		}
		count := Count{Finding: v.Target.Finding, Kind: v.Target.Kind, Client: who.of(v.Target), Program: who.programOf(v.Target), Decision: v.Decision.String(), Gone: gone[v.Target.ID], UnderWay: isEnded(v.Target.ID) || isEnded(v.EndsWith), Ends: v.EndsWith != ""}
		if v.Decision == policy.Reap {
			count.Action = v.Action
		}
		at := slices.IndexFunc(counts, count.isLike)
		if at < 0 {
			at, counts = len(counts), append(counts, count)
		}
		counts[at].add(v.Target, who)
		if count.Finding == graph.FindingNone && v.Decision == policy.Keep { // it is no finding
			continue
		}
		for _, decision := range decisions() { // so that each is seen to rise from 0
			m.series.findings.show(string(count.Kind), count.Finding.String(), count.Client, decision)
		}
		m.series.findings.add(1, string(count.Kind), count.Finding.String(), count.Client, count.Decision)
	}
	slices.SortStableFunc(counts, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Number, a.Number), strings.Compare(a.Finding.String(), b.Finding.String()),
			strings.Compare(string(a.Kind), string(b.Kind)), strings.Compare(a.Client, b.Client), strings.Compare(a.Program, b.Program), strings.Compare(a.Came(), b.Came()))
	})
	m.state.Findings = counts
}

package simulate

import (
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/policy"
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestLate(t *testing.T) {
	j, _ := NewJudge()
	for _, a := range strings.Split(os.Getenv("SEEDS"), ",") {
		seed, _ := strconv.ParseUint(a, 10, 64)
		_, failures := j.Play(Write(seed))
		for _, f := range failures {
			if f.Property == os.Getenv("PROP") || f.Property == InTime && os.Getenv("PROP") == "" {
				s, g := j.Shrink(Write(seed), f)
				t.Log("=====", g.Kind, "|", g.Text, "|", s)
				var prev *graph.Graph
				for _, l := range g.Snapshots {
					prev = j.Correlate(prev, l)
				}
				for _, v := range policy.Judge(prev, j.Shipped, policy.JudgeOptions{}) {
					if v.Target.Incidental {
						continue
					}
					t.Log(v.Target.ID, v.Target.Kind, v.Target.Name, v.Target.PIDs(), v.Target.Finding, v.Target.Held, v.Decision, v.Reason, v.Target.Vetoes)
					for _, e := range v.Target.Evidence {
						t.Log("        ", e.Check, e.Says, e.Text)
					}
				}
				for _, p := range prev.Snapshot.Processes {
					i, _ := p.Stdin.Get()
					o, _ := p.Stdout.Get()
					t.Log("   ", p.PID, "ppid", p.PPID.Or(-1), "sid", p.SID.Or(-1), p.State, p.Argv, i, o)
				}
				break
			}
		}
	}
}

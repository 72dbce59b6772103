package oneshot

import (
	"testing"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

func TestAQuestionNamesTheSessionsAndWhatEndsWithThem(t *testing.T) {
	session := policy.Act{TargetID: "47:1", Kind: graph.KindSession, Name: "codex"}
	held := func(id, name, with string) policy.Act {
		return policy.Act{TargetID: id, Kind: graph.KindServer, Name: name, With: with}
	}
	fetch, memory := held("48:1", "fetch", "47:1"), held("50:1", "memory", "47:1")
	for _, row := range []struct {
		world string
		acts  []policy.Act
		want  string
	}{
		{"orphans alone are in the plan above", []policy.Act{held("22:1", "fetch", ""), held("31:1", "fetch", "")}, "Stop these 2?"},
		{"one orphan", []policy.Act{held("22:1", "fetch", "")}, "Stop fetch 22?"},
		{"one container", []policy.Act{{TargetID: "2fbea5720509", Kind: graph.KindContainer, Name: "unifi", Verb: policy.ActionRemove, Container: &inventory.Container{Name: "/u1"}}}, "Remove unifi u1?"},
		{"a session without servers", []policy.Act{session}, "Stop codex 47?"},
		{"a session with two servers", []policy.Act{fetch, memory, session}, "Stop these 3: codex 47 with fetch 48 and memory 50?"},
		{"a server below a gateway of the session", []policy.Act{fetch, held("51:1", "time", "48:1"), session}, "Stop these 3: codex 47 with fetch 48 and time 51?"},
		{"an orphan besides", []policy.Act{fetch, held("22:1", "fetch", ""), session}, "Stop these 3: codex 47 with fetch 48; and 1 that no session here holds?"},
		{"more servers than a line has room for", []policy.Act{fetch, memory, held("51:1", "a", "47:1"), held("52:1", "b", "47:1"), held("53:1", "c", "47:1"), session},
			"Stop these 6: codex 47 with fetch 48, memory 50, a 51 and 2 more?"},
	} {
		if got := FullQuestion(policy.Plan{Acts: row.acts}); got != row.want {
			t.Errorf("%s: got %q, want %q", row.world, got, row.want)
		}
	}
}

package human

import "testing"

func TestASentenceIsWrittenWithItsFacts(t *testing.T) {
	for _, row := range []struct {
		said Sentence
		text string
	}{
		{Say("nobody alive holds the other end of its stdin"), "nobody alive holds the other end of its stdin"},
		{Say("its docker run %d is gone", 4711), "its docker run 4711 is gone"},
		{Say("%s had it when last seen", Named{"codex", 4}), "codex 4 had it when last seen"},
		{Say("its parent is %s", Named{Name: "outside this PID namespace"}), "its parent is outside this PID namespace"},
		{Say("container %.4s may be its", Mark("c0ffee")), "container c0ff may be its"},
		{Say("it is the main process of %s", "v2ray.service"), "it is the main process of v2ray.service"},
		{Say("docker run %d lives", 7).Then(Say("; its label names %s", Named{"codex", 4})), "docker run 7 lives; its label names codex 4"},
		{Say("it runs").Then(Sentence{}), "it runs"},
	} {
		if got := row.said.String(); got != row.text {
			t.Errorf("says %q, want %q", got, row.text)
		}
	}
	if !(Sentence{}).IsZero() || Say("it runs").IsZero() {
		t.Error("nothing said and something said are not told apart")
	}
}

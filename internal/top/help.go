package top

import (
	"strings"

	"github.com/reaperd/reaperd/internal/finding"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/overview"
	"github.com/reaperd/reaperd/internal/policy"
)

// help explains each key and the words on the screen.
func (m Model) help() text {
	s := &sheet{model: m}
	for _, key := range []struct{ key, does string }{
		{"enter", "all that is known of a row: evidence, guards, rule, what comes next"},
		{"p", "pin it: reaperd leaves it alone; p again ends that. On a session that has ended, and on LEAKED: all that is below and that a filter shows"},
		{"x", "stop it: shows the plan of `reaperd sweep` for it, and asks first. On a session that has ended, and on LEAKED: all that is below. What is in use stays; a duplicate or an idle session goes as by `--duplicates` and `--idle-over`"},
		{"n N", "the next, the previous that leaks, or that a rule stops or only reports; idle sessions only if one stops them. Unfolds what hides it"},
		{"/", "show only rows with these words in a name, command, PID, owner or state; esc ends it"},
		{"s S", "sort by memory, cpu, age, state, name, and back to the tree"},
		{"space", "fold and unfold; right and left too. A second right shows processes"},
		{"+ -", "unfold everything, or fold it"},
		{"e", "what ended lately, what was refused, what could not be seen"},
		{"r", "look now"},
		{"ctrl-z", "suspend; fg comes back"},
		{"q", "quit"},
	} {
		s.say(key.key, key.does)
	}
	s.gap()
	for _, word := range []meaning{
		{"in use", "a live session or process has it: reaperd leaves it alone"},
		{"may be", "in use, by a process that cannot be seen from here: it stays"},
		{"stops in", "the daemon stops it then, unless its owner shows up"},
		{"would stop", "the policy says so, and nobody acts: no daemon, mode report, or paused"},
		{"findings", findings()},
		{"kept", "nothing proves whose it is, so it stays; kept with another: that is pinned"},
		{"idle 5h+", "idle " + overview.PlusMeans},
		{"memory", "of a row with everything below it: PSS counts memory that processes share in parts, RSS in each of them"},
	} {
		s.say(word.word, word.means)
	}
	return s.text
}

// meaning explains a word on the screen.
type meaning struct{ word, means string }

// findings explains the words for what is wrong with a row, each once: findings of one word stand side by side.
func findings() string {
	said, before := "", ""
	for _, f := range []graph.Finding{
		graph.FindingOrphaned, graph.FindingDisconnected, graph.FindingDuplicate, graph.FindingZombies,
		graph.FindingRespawning, graph.FindingExited, graph.FindingAmbiguous,
	} {
		if word := finding.Word(string(f)); word == before {
			said += ", or " + policy.Meaning(f)
		} else {
			said, before = said+"; "+word+": "+policy.Meaning(f), word
		}
	}
	return strings.TrimPrefix(said, "; ")
}

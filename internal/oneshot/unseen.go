package oneshot

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/history"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/word"
)

// SeenLast are the containers that a word means, as a daemon saw them last.
func (s *Sight) SeenLast(ctx context.Context, subject string) []serve.SeenContainer {
	return meant(s.told(ctx).Containers, subject)
}

func meant(containers []serve.SeenContainer, subject string) (found []serve.SeenContainer) {
	for _, c := range containers {
		if (word.Thing{ID: c.ID, Name: c.Name, Container: c.Handle}).IsMeant(subject) {
			found = append(found, c)
		}
	}
	return found
}

// unseen are the containers that a daemon saw and that a look could not show, because an
// engine could not be read.
func unseen(containers []serve.SeenContainer, look *graph.Graph) (hidden []serve.SeenContainer) {
	if look == nil || look.Snapshot.Engines().ReadAll("") {
		return nil
	}
	for _, c := range containers {
		if _, seen := look.Target(c.ID); !seen {
			hidden = append(hidden, c)
		}
	}
	return hidden
}

// whyUnseen says why a look shows no containers: "docker is absent: no engine socket found".
func whyUnseen(look *graph.Graph) string {
	return cmp.Or(word.NoEngine(look.Snapshot), "their engine cannot be read")
}

// NotSeen is the error that words mean nothing in the last look. It tells what is known of each
// all the same: a container that cannot be seen now, and what has ended.
func (s *Sight) NotSeen(missing []string) error {
	return s.notSeen(missing, s.told(context.Background()))
}

func (s *Sight) notSeen(missing []string, told *serve.State) error {
	var known, texts, unknown []string
	for _, subject := range missing {
		if text := s.knownOf(subject, told); text != "" {
			known, texts = append(known, subject), append(texts, text)
		} else {
			unknown = append(unknown, subject)
		}
	}
	if len(known) == 0 {
		return word.NotSeen(s.Asked.Elsewhere().Scan(), s.View.Graph, missing)
	}
	if len(unknown) > 0 {
		texts = append(texts, word.NotSeen(s.Asked.Elsewhere().Scan(), s.View.Graph, unknown).Error())
	}
	return advice.Failed("reaperd explain "+human.Shell(known[0])+"   tells what is known of it", "%s", strings.Join(texts, "; "))
}

// restOfTree tells of an act on a tree that the process of a number was part of, and is no more; empty if it was not.
func restOfTree(pid string, act *serve.Begun) string {
	isIts := func(id string) bool { return strings.HasPrefix(id, pid+":") }
	if !isIts(act.Target) && !slices.ContainsFunc(act.Tree, isIts) {
		return ""
	}
	return fmt.Sprintf("%s %s is %s (rule %s), and has ended itself: pin, sweep and pause come too late for the rest of it",
		human.Safe(act.Name), pid, act.Action.GoingOn(), human.Safe(act.Rule))
}

// begunByHand are the acts of sweeps by hand that the journal has no outcome of.
func (s *Sight) begunByHand() (acts []serve.Begun) {
	for _, entry := range s.unfinished() {
		acts = append(acts, serve.Begun{Target: entry.TargetID, Name: entry.Name, Rule: entry.Rule, Action: policy.Action(entry.Action), Tree: entry.Parts()})
	}
	return acts
}

// knownOf is what is known of a subject that means nothing in the last look: that it is another
// process, or what has become of it; empty is nothing.
func (s *Sight) knownOf(subject string, told *serve.State) string {
	if p := word.Process(s.View.Graph.Snapshot, subject); p != nil {
		return s.otherProcess(p, report.Input{}).Brief()
	}
	for _, act := range slices.Concat(told.UnderWay, s.begunByHand()) {
		if text := restOfTree(subject, &act); text != "" {
			return text
		}
	}
	if found := word.Strangers(s.View.Graph, subject); len(found) > 0 { // so one may be pinned by its name, and not stopped
		return s.otherProcess(found[0], report.Input{}).Brief()
	}
	if found := meant(unseen(told.Containers, s.View.Graph), subject); len(found) > 0 {
		return namesOfSeen(found) + " cannot be seen now: " + human.Safe(whyUnseen(s.View.Graph))
	}
	if reaped := s.reapedLately([]string{subject}, time.Now()); reaped != nil {
		return reaped.Error()
	}
	fate := s.fate(subject)
	ended := pastOf(told, s.View.Graph, fate.Acted()).ended(subject).Text
	if ended == "" && len(fate.Held) > 0 {
		return human.Safe(subject) + " is not running here; the journal has what reaperd did to what it had"
	}
	lines := strings.Split(ended, "\n")
	last := strings.TrimSuffix(lines[len(lines)-1], ".")
	if len(lines) > 1 {
		return "several of that name have ended, the last of them so: " + last
	}
	return last
}

// fate is what the journal says of what a word means; empty if it cannot be read.
func (s *Sight) fate(subject string) *history.Fate {
	if s.state == "" { // a replay knows nothing of this machine
		return &history.Fate{}
	}
	fate, err := history.ReadFate(s.journal(), subject)
	if err != nil {
		return &history.Fate{}
	}
	return fate
}

// hasRecorded reports that the journal has something of the last hour.
func (s *Sight) hasRecorded(now time.Time) bool {
	info, err := os.Stat(s.journal())
	return err == nil && info.Size() > 0 && now.Sub(info.ModTime()) < time.Hour
}

// endedSince reports that something that a word means has ended after a time, and not by reaperd.
func (s *Sight) endedSince(subject string, at time.Time) bool {
	if s.daemon == nil {
		return false
	}
	return slices.ContainsFunc(pastOf(s.daemon, s.View.Graph, nil).ended(subject).Gone, func(one serve.Gone) bool {
		return one.How == serve.EndedByItself && one.At.After(at)
	})
}

// unseenNote tells how many containers the daemon saw that this look could not show; empty
// is none.
func (s *Sight) unseenNote() string {
	if s.daemon == nil {
		return ""
	}
	hidden := unseen(s.daemon.Containers, s.View.Graph)
	if len(hidden) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %s that the daemon saw before cannot be seen now: %s",
		whyUnseen(s.View.Graph), human.Count(len(hidden), "container"), namesOfSeen(hidden))
}

// namesOfSeen names the first few of some containers, each with whose it was.
func namesOfSeen(seen []serve.SeenContainer) string {
	var names []string
	for _, c := range seen[:min(len(seen), mostEnded)] {
		names = append(names, human.Safe(c.String()))
	}
	if more := len(seen) - len(names); more > 0 {
		names = append(names, human.Number(more)+" more")
	}
	return human.List(names)
}

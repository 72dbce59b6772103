package oneshot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/asked"
	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/host"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/install"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/sweep"
	"github.com/reaperd/reaperd/internal/word"
)

// Sight is a command's view: a host, or saved snapshots, under a policy.
type Sight struct {
	Policy *policy.Policy
	// View is the result of the looks so far; zero before the first.
	View sweep.View
	// Settle is the time between the two looks.
	Settle time.Duration
	// Asked is what a person asked of the command that looks; zero is no more than that.
	Asked asked.Look

	state   state.Dir
	host    *host.Host // nil: saved snapshots
	sweeper *sweep.Sweeper
	daemon  *serve.State    // its last answer; nil before it was asked
	silent  bool            // it runs, and did not answer
	others  *beside.Daemons // those of other users; nil before they were looked for
	// rootsRests is why root's daemon stops nothing; empty if it acts, or that is not known.
	rootsRests string
}

// Open opens this host. Close it after use.
func Open(p *policy.Policy, dir state.Dir, log *slog.Logger) (*Sight, error) {
	h, err := host.Open(host.Options{Policy: p, Log: log, State: dir})
	if err != nil {
		return nil, advice.Failed("reaperd doctor", "%w", err)
	}
	return (&Sight{state: dir, host: h}).Under(p), nil
}

// Under is the same host, with its looks, under another policy. Close one of the two.
func (s *Sight) Under(p *policy.Policy) *Sight {
	under := *s
	h := s.host.Under(p)
	under.Policy, under.host = p, h
	under.sweeper = &sweep.Sweeper{
		Observer: h, Catalogue: h.Catalogue(), Policy: p, Pinned: h.Pinned, KeptNow: under.keptNow, Fresh: h, OneShot: true,
		UnderWay: under.underWay,
	}
	return &under
}

// keptNow says why a target is not to be acted on after all: somebody has paused reaperd or
// pinned the target since it was judged.
func (s *Sight) keptNow(t *graph.Target) (why string, kept bool) {
	if _, paused, err := s.state.Paused(time.Now()); paused || err != nil {
		return "it was paused since", true
	}
	return s.host.PinnedNow(t)
}

// Close closes the host.
func (s *Sight) Close() {
	if s.host != nil {
		s.host.Close()
	}
}

// First looks for the first time, and judges.
func (s *Sight) First(ctx context.Context) error {
	first, err := s.sweeper.First(ctx)
	if err == nil {
		s.View = s.sweeper.Judge(nil, first)
		s.tellDenied(ctx)
	}
	return couldNotLook(ctx, err)
}

// Second waits while the host settles, looks again and judges, so that two looks have seen
// every finding. The daemon is asked again before: it may have begun an act meanwhile.
func (s *Sight) Second(ctx context.Context, settle time.Duration) error {
	if err := sweep.Settle(ctx, settle); err != nil {
		return err
	}
	s.Recall(ctx)
	view, err := s.sweeper.Again(ctx, s.View)
	if err == nil {
		s.View, s.Settle = view, settle
		s.tellDenied(ctx)
	}
	return couldNotLook(ctx, err)
}

// Again looks once more, and judges.
func (s *Sight) Again(ctx context.Context) error {
	view, err := s.sweeper.Again(ctx, s.View)
	if err == nil {
		s.see(view)
		s.tellDenied(ctx)
	}
	return couldNotLook(ctx, err)
}

// see keeps the result of looks and the time between them.
func (s *Sight) see(view sweep.View) {
	s.View = view
	if view.First != nil {
		s.Settle = view.Graph.Snapshot.TakenAt.Sub(view.First.Snapshot.TakenAt)
	}
}

func couldNotLook(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	return advice.Failed("reaperd doctor", "look at this host: %w", err)
}

// Missing is the error that some words mean nothing in the last look; nil if all do.
func (s *Sight) Missing(words []string) error {
	missing := word.Missing(s.View.Graph, words)
	if len(missing) > 0 {
		missing = s.left().Missing(s.View.Graph, missing)
	}
	switch {
	case len(missing) == 0:
		return nil
	case s.View.First != nil && len(word.Missing(s.View.First, missing)) == 0: // as where a daemon was faster
		return advice.Failed("reaperd history   shows what was reaped", "%s %s between the two looks",
			human.Safe(strings.Join(missing, ", ")), human.Verb(len(missing), "has ended", "have ended"))
	}
	if gone := s.reapedLately(missing, time.Now()); gone != nil {
		return gone
	}
	return s.NotSeen(missing)
}

// Called are the words, and for each that means nothing here, but is the program of a client, the
// name of that client, if it runs, has left something or is known to have ended: claude is
// claude-code.
func (s *Sight) Called(words []string) []string {
	called := slices.Clone(words)
	for i, word := range words {
		for _, client := range catalogue.Clients() {
			if slices.ContainsFunc(client.Programs, func(program string) bool { return strings.EqualFold(program, word) }) && !s.means(word) && (s.means(client.Name) || s.hasEnded(client.Name)) {
				called[i] = client.Name
			}
		}
	}
	return called
}

// means reports whether a word means something here: a thing, a session, or what one has left.
func (s *Sight) means(word string) bool {
	isSession := func(session graph.Session) bool { return strings.EqualFold(session.Name, word) }
	return s.Missing([]string{word}) == nil || slices.ContainsFunc(s.View.Graph.Sessions, isSession)
}

// hasEnded reports a client whose end, or the acts on what it had, a daemon or the journal knows.
func (s *Sight) hasEnded(client string) bool {
	if pastOf(s.told(context.Background()), s.View.Graph, nil).ended(client).Text != "" {
		return true
	}
	return s.fate(client).Known()
}

// NotShown is [Sight.Missing] for what is only shown: a client that is not known may be named too.
func (s *Sight) NotShown(words []string) error {
	return s.Missing(slices.DeleteFunc(slices.Clone(words), func(name string) bool { return len(word.Strangers(s.View.Graph, name)) > 0 }))
}

// ShowsAny reports that one of the words means something that is shown ([Sight.NotShown]).
func (s *Sight) ShowsAny(words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return s.NotShown([]string{word}) == nil })
}

// left are the sessions that have ended, by what they left in the last look.
func (s *Sight) left() word.Left { return report.LeftIn(s.View.Graph, s.LeftBy(context.Background())) }

// Programs is the catalogue with the policy's entries.
func (s *Sight) Programs() *catalogue.Memo { return s.host.Catalogue() }

// Report is the input for reports. command is the command that shows them.
func (s *Sight) Report(command string) report.Input {
	view := s.View
	if command == "scan" {
		view = s.shown()
	}
	return s.reportOf(view, command)
}

func (s *Sight) reportOf(view sweep.View, command string) report.Input {
	in := view.Report(s.Policy)
	in.Resumes = catalogue.Resumes()
	in.Settle, in.Replay, in.Command, in.Asked = s.Settle, s.host == nil, command, s.Asked
	if !in.Replay {
		in.Daemon, in.Beside = s.state.HasDaemon(), s.beside(context.Background())
		in.Notes = s.state.PauseNotes(in.Beside, time.Now())
		in.UsersPins = s.usersPins(view.Verdicts)
		in.StartDaemon = s.Asked.Run(install.HowToStart().Command())
		in.ForeignDaemon, in.OwnPolicy = s.state.HasOnlyRootsDaemon(), policyfile.IsUsers(s.Policy)
		in.Paused = len(in.Notes) > 0
		if pause, paused, err := s.state.Paused(time.Now()); paused && err == nil {
			in.PausedUntil = pause.Until
		}
		daemon := s.told(context.Background())
		roots, besideRoots := in.Beside.Of(0)
		isTold := true
		if s.isBesideRoots(context.Background()) {
			var glance serve.Glance
			if glance, isTold = serve.GlanceAtRoots(context.Background()); isTold { // else another's daemon may have the port
				s.rootsRests = glance.Rests()
				in.RootsRests = s.rootsRests
			}
		}
		in.Notes = append(in.Notes, s.daemonNotes()...)
		switch {
		case in.ForeignDaemon:
			in.Notes = append(in.Notes, "root's daemon looks after all of this, by root's policy"+notByOwn(in.OwnPolicy)+", and sees more than this user can: sudo reaperd scan")
			if in.RootsRests != "" {
				in.Notes = append(in.Notes, "root's daemon "+in.RootsRests)
			}
			if !isTold {
				in.Notes = append(in.Notes, serve.RootsNotTold)
			}
		case besideRoots && daemon.Mode == policy.ModeEnforce: // by --mode
			in.Notes = append(in.Notes, "besides your own daemon, "+roots.Decides(s.rootsRests))
		case !in.Daemon && len(in.Beside) > 0:
			in.Notes = append(in.Notes, in.Beside.After()+": "+in.Beside.Commands("reaperd status"))
		}
		in.Due, in.DueBy, in.DaemonDiffers = s.deadlines(daemon)
		in.DaemonPolicy = s.OtherPolicy()
		in.DaemonRests = s.rests(daemon)
		in.HadBy, in.Reaped = hadBy(daemon), len(daemon.LastActs) > 0 || s.hasRecorded(time.Now())
		in.Unrecorded = daemon.Unrecorded != "" && daemon.Unrecorded == s.journal()
		in.NoRoom = daemon.NoRoomIn != ""
		in.NoSpace = s.hasNoSpace()
		in.NextLook, in.IdleSince = daemon.NextLook(), daemon.IdleSince()
		in.Verdicts = report.Attributed(in.Verdicts, formerOwners(daemon))
	}
	return in
}

// notByOwn goes on after "by root's policy".
func notByOwn(hasOwn bool) string {
	if hasOwn {
		return " and not by yours"
	}
	return ""
}

// Replay judges saved snapshots, oldest first, without regard to this machine. One of the files may
// be "-", which is stdin.
func Replay(p *policy.Policy, files []string, stdin io.Reader) (*Sight, error) {
	if i := slices.Index(files, "-"); i >= 0 && slices.Contains(files[i+1:], "-") {
		return nil, advice.Misused(saveOne, "--snapshot -: stdin can be read once, and is asked for twice")
	}
	var snapshots []*inventory.Snapshot
	for _, name := range files {
		snapshot, err := readSnapshot(name, stdin)
		if err != nil {
			return nil, err
		}
		snapshots = append(snapshots, snapshot)
	}
	s := &Sight{Policy: p, sweeper: &sweep.Sweeper{Catalogue: host.Catalogue(p), Policy: p, OneShot: true}}
	view, err := s.sweeper.Replay(snapshots)
	if err != nil {
		return nil, advice.Misused("", "%w", err)
	}
	s.see(view)
	return s, nil
}

const saveOne = "reaperd snapshot FILE   saves one"

func readSnapshot(name string, stdin io.Reader) (*inventory.Snapshot, error) {
	if name == "-" {
		return snapshotIn("stdin", stdin)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, advice.Misused(saveOne, "read snapshot: %w", err)
	}
	defer file.Close()
	return snapshotIn(name, file)
}

// snapshotIn reads a snapshot; a fault has the name of where it comes from.
func snapshotIn(name string, from io.Reader) (*inventory.Snapshot, error) {
	snapshot, err := inventory.Read(from)
	if err != nil {
		return nil, advice.Misused(saveOne, "%w", inFile(name, err))
	}
	return snapshot, nil
}

// inFile puts a file's name before each line of an error.
func inFile(name string, err error) error {
	var lines []string
	for line := range strings.Lines(err.Error()) {
		lines = append(lines, fmt.Sprintf("snapshot %s: %s", name, strings.TrimRight(line, "\n")))
	}
	return errors.New(strings.Join(lines, "\n"))
}

package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/beside"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/install"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/neighbours"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/internal/status"
)

// own is what this tool goes by, to compare with a daemon.
type own struct {
	version string
	policy  *policy.Policy // nil if it has faults
	sources []inventory.Source
	// unserved reports that nobody listens on the socket of an engine now; nil is that this is not known.
	unserved func(endpoint string) bool
	// hasRoots reports that root's daemon runs beside this user's.
	hasRoots bool
}

// daemonSymptoms tell whether a daemon looks after this user's processes, how it is, and
// where it differs from this tool: what a scan shows is then not what the daemon does.
func daemonSymptoms(ctx context.Context, dir state.Dir, tool own, root *roots) []Symptom {
	ctx, cancel := context.WithTimeout(ctx, serve.AnswerWithin)
	defer cancel()
	is, err := serve.Ask(ctx, dir.Socket())
	if err != nil {
		return silence(ctx, dir, status.Unanswered(dir, err), root)
	}
	tool.hasRoots = root != nil
	symptoms := append(refusing(dir), running(is, dir.Faults(time.Now()), tool))
	if root != nil {
		symptoms = append(symptoms, root.beside())
	}
	return symptoms
}

// silence are the symptoms where no daemon of this user answers.
func silence(ctx context.Context, dir state.Dir, err error, root *roots) []Symptom {
	var shut *status.ShutError
	if !errors.As(err, &shut) {
		around := absence{dir, root, neighbours.Daemons(ctx), install.HowToStart()}
		return slices.Concat(refusing(dir), unreadable(dir), []Symptom{around.symptom(err, time.Now())})
	}
	symptoms := []Symptom{{"state", stateFault, shut.Error() + "; whether a daemon of yours runs cannot be told, and pin, pause and sweep fail", hintOf(err)}}
	if root != nil {
		symptoms = append(symptoms, root.symptom())
	}
	return symptoms
}

// refusing is the symptom of a state directory that takes no file, though its socket can be asked.
func refusing(dir state.Dir) []Symptom {
	text, remedy := dir.Refusal()
	if text == "" {
		return nil
	}
	return []Symptom{{"state", stateFault, text, remedy}}
}

// unreadable is the symptom of pins or a pause that cannot be read: no sweep acts, nor does the
// next daemon.
func unreadable(dir state.Dir) []Symptom {
	faults := dir.Faults(time.Now())
	if len(faults) == 0 {
		return nil
	}
	return []Symptom{{"state", stateFault, strings.Join(faults, "; "), "open, mend or remove the file that it names: what a removed one says is forgotten"}}
}

// absence is what there is where no daemon of this user answers: those of others, and what
// starts one.
type absence struct {
	dir   state.Dir
	root  *roots
	users beside.Daemons
	start install.Starting
}

// symptom is that of a daemon that does not answer, or of none.
func (a absence) symptom(err error, now time.Time) Symptom {
	if !errors.Is(err, serve.ErrNotRunning) {
		return Symptom{"daemon", stateFault, err.Error(), hintOf(err)}
	}
	if a.root != nil {
		return a.root.symptom()
	}
	is, text, remedy := stateNote, "none runs with "+string(a.dir)+a.byItself(), toStart(a.start)
	if service := a.start.Service; service.File != "" {
		is, text = stateFault, service.File+" is there, and no daemon runs"+a.byItself()
		remedy = service.Why + " says why" + betweenRemedies + service.Start + " starts it again"
	}
	if len(a.users) > 0 {
		remedy = a.users.Commands("reaperd status") + human.Verb(len(a.users), " shows it", " show them") + betweenRemedies + remedy
	}
	if pause, paused, err := a.dir.Paused(now); paused && err == nil {
		text += "; " + a.pauseText(pause)
		remedy = "reaperd resume ends the pause" + betweenRemedies + remedy
	}
	return Symptom{"daemon", is, text, remedy}
}

// byItself goes on after "none runs": what is reaped all the same.
func (a absence) byItself() string {
	if len(a.users) > 0 {
		return ", and nothing of root's is reaped by itself; " + a.users.After()
	}
	return ": nothing is reaped by itself"
}

func (a absence) pauseText(pause state.Pause) string {
	if len(a.users) > 0 {
		return a.users.Unpaused() + " (" + pause.Sentence() + ")"
	}
	return "it is " + pause.Sentence() + ": nor by a sweep, nor by the next daemon"
}

// toStart tells how a daemon starts that no service is to run.
func toStart(how install.Starting) string {
	switch how.Lasting {
	case "":
		return "reaperd run starts one here; in a container, it can be the container's command"
	case "reaperd install":
		return "reaperd run starts one here; reaperd install has it start by itself (--dry-run shows how)"
	}
	return "reaperd run starts one here; " + how.Lasting + " has it start by itself"
}

// hintOf is the hint of an error as one remedy; empty if it has none.
func hintOf(err error) string {
	var advised *advice.Error
	if !errors.As(err, &advised) {
		return ""
	}
	return strings.ReplaceAll(advised.Hint, betweenRemedies, " ")
}

// running is the symptom of a daemon that has answered.
func running(is *serve.State, faults []string, tool own) Symptom {
	who := fmt.Sprintf("process %d", is.PID)
	condition := status.Of(is, faults, time.Now())
	if condition.IsStarting() {
		return Symptom{"daemon", stateNote, who + ": " + condition.Health(), "ask again"}
	}
	if !condition.Acts() {
		return Symptom{"daemon", stateFault, who + ": " + condition.Health(), "reaperd status shows the causes"}
	}
	if len(is.Policy.Faults) > 0 {
		return Symptom{"daemon", stateNote, who + ": " + condition.Health(), "reaperd status shows its faults"}
	}
	if is.NoRoomIn != "" {
		return Symptom{"daemon", stateNote, who + ": " + condition.Health(), makeRoom}
	}
	texts, remedies := idling(is, tool.hasRoots)
	if text, remedy := unseenContainers(is, tool); text != "" {
		texts, remedies = append(texts, text), append(remedies, remedy)
	}
	if text, remedy := goneEngine(is, tool, time.Now()); text != "" {
		texts, remedies = append(texts, text), append(remedies, remedy)
	}
	if p := tool.policy; p != nil && p.Hash != is.Policy.SHA256 {
		text, remedy := ownPolicy(is, p)
		texts, remedies = append(texts, text), append(remedies, remedy)
	}
	if differs := differences(is, tool); len(differs) > 0 {
		texts, remedies = append(texts, "it differs from this tool: "+strings.Join(differs, "; ")), append(remedies, differRemedy)
	}
	text := fmt.Sprintf("%s, up %s, mode %s", who, human.Span(time.Since(is.StartedAt)), is.Mode)
	if len(texts) > 0 {
		return Symptom{"daemon", stateNote, text + ": " + strings.Join(texts, "; "), strings.Join(remedies, betweenRemedies)}
	}
	if tool.policy != nil {
		text += ", by the policy above"
	}
	return Symptom{"daemon", stateOK, text, ""}
}

// idling tells why a daemon that is well stops nothing, and what changes that.
func idling(is *serve.State, hasRoots bool) (texts, remedies []string) {
	if is.Paused {
		texts = append(texts, "it is "+state.Pause{Until: is.PausedUntil, Reason: is.PauseReason}.Sentence()+": nothing is reaped")
		remedies = append(remedies, "reaperd resume ends the pause")
	}
	after, hasEnded := is.AfterRoots(hasRoots)
	switch {
	case is.Mode != policy.ModeReport:
	case hasEnded:
		texts = append(texts, "it only reported because root's daemon ran; that has ended, and it goes by its policy again, mode "+string(after.Mode)+", with its next look")
		remedies = append(remedies, "ask again")
	case is.ModeFrom == policy.BesideSystem:
		texts = append(texts, "it only reports, because root's daemon runs and looks after every user's servers")
		remedies = append(remedies, besideRemedies(install.HowItRuns(is.PID))...)
	case is.ModeFrom != "":
		texts, remedies = append(texts, "by "+is.ModeFrom+" it stops nothing"), append(remedies, "start it without "+is.ModeFrom+", or this once: reaperd sweep --mode enforce")
	default:
		texts, remedies = append(texts, "it stops nothing"), append(remedies, "mode: enforce in "+human.Safe(is.Policy.Source)+" has it act; this once: reaperd sweep --mode enforce")
	}
	return texts, remedies
}

// besideRemedies are for a daemon that only reports because root's runs: one of the two is enough.
func besideRemedies(how install.Running) []string {
	if how.Enforce == "" {
		return []string{how.End}
	}
	return []string{how.End, how.Enforce + " has it act too"}
}

// ownPolicy tells that a daemon goes by another policy than this tool's.
func ownPolicy(is *serve.State, here *policy.Policy) (text, remedy string) {
	if len(here.Sources) > 0 && here.Sources[0].Name == is.Policy.Source {
		return "its policy's file has changed since it read that", "ask again: it reads the file by itself; reaperd status tells if it refuses it"
	}
	text = "it goes by a policy of its own, " + named(is.Policy.Source, is.Policy.SHA256) + ", not by that above"
	remedy = "start it again if it is to go by that above"
	if filepath.IsAbs(is.Policy.Source) {
		remedy = "reaperd doctor --policies " + human.Shell(is.Policy.Source) + " goes by the same; " + remedy
	}
	return text, remedy
}

// differRemedy is for a daemon that differs. It need not be wrong.
const differRemedy = "if that is not wanted, start it again: after an upgrade, or with other flags or another environment"

// differences are those between a daemon and this tool.
func differences(is *serve.State, tool own) []string {
	var differs []string
	differ := func(what, its, ours string) {
		if its != ours {
			differs = append(differs, fmt.Sprintf("its %s is %s, here %s", what, cmp.Or(its, "none"), cmp.Or(ours, "none")))
		}
	}
	differ("version", cmp.Or(is.Build.Version, "devel"), tool.version)
	if p := tool.policy; p != nil && is.Mode != policy.ModeReport { // that is told by itself
		differ("mode", string(is.Mode), string(p.Mode))
	}
	its := withoutGone(is, tool)
	if is.LastSweep != nil && !hasReturned(is, tool) && !sameEngines(its, tool.sources) {
		differ("engine", strings.Join(answering(its), ", "), strings.Join(answering(tool.sources), ", "))
	}
	return differs
}

// named is a policy's source with the beginning of its hash.
func named(source, hash string) string {
	return source + " (" + hash[:min(12, len(hash))] + ")"
}

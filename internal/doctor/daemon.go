package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/install"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/serve"
	"github.com/reaperd/reaperd/internal/state"
)

// own is what this tool goes by, to compare with a daemon.
type own struct {
	version string
	policy  *policy.Policy // nil if it has faults
	sources []inventory.Source
}

// decider is the daemon that decides about this user's things, as far as it answers.
type decider struct {
	is   *account.Account // nil if none answers
	host bool             // it is the host's, and another user asks
	err  error            // why none answers
}

// deciderHere asks where a daemon may answer.
func deciderHere(ctx context.Context, dir state.Dir) (d decider) {
	for _, socket := range dir.Sockets() {
		asked, err := serve.Dial(ctx, socket)
		switch {
		case errors.Is(err, serve.ErrNotRunning):
			continue
		case err != nil:
			return decider{err: err}
		}
		defer asked.Close()
		d.host = socket == dir.HostSocket() && os.Geteuid() != 0
		d.is, d.err = asked.Account(ctx, true)
		return d
	}
	return decider{err: serve.ErrNotRunning}
}

// symptoms tell whether a daemon looks after this user's things, how it is, and where it differs
// from this tool.
func (d decider) symptoms(dir state.Dir, tool own) []Symptom {
	found := append(refusing(dir), socketSymptoms(dir)...)
	if d.is != nil {
		return append(found, d.running(tool)...)
	}
	return append(append(found, unreadable(dir)...), d.absent(dir, install.HowToStart(), time.Now()))
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

// socketSymptoms tell what is wrong with the sockets that are there: the host's must be every user's
// in a folder of root's, this user's own nobody else's.
func socketSymptoms(dir state.Dir) (found []Symptom) {
	for _, socket := range dir.Sockets() {
		if text := serve.SocketFault(socket, socket == dir.HostSocket()); text != "" {
			found = append(found, Symptom{"socket", stateFault, socket + ": " + text, "start the daemon again: it makes the socket, and for root's its folder, as they must be"})
		}
	}
	return found
}

// absent is the symptom of a daemon that does not answer, or of none.
func (d decider) absent(dir state.Dir, start install.Starting, now time.Time) Symptom {
	var hangs *serve.HangsError
	switch {
	case errors.As(d.err, &hangs):
		return Symptom{"daemon", stateFault, hangs.Error(), hangs.Remedy()}
	case !errors.Is(d.err, serve.ErrNotRunning):
		return Symptom{"daemon", stateFault, d.err.Error(), hintOf(d.err)}
	}
	is, text, remedy := stateNote, "none runs with "+string(dir)+": nothing is reaped by itself", toStart(start)
	if service := start.Service; service.File != "" {
		is, text = stateFault, service.File+" is there, and no daemon runs: nothing is reaped by itself"
		remedy = service.Why + " says why" + betweenRemedies + service.Start + " starts it again"
	}
	if pause, paused, err := dir.Paused(now); paused && err == nil {
		text += "; it is " + pause.Sentence() + ": nor by a sweep, nor by the next daemon"
		remedy = "reaperd resume ends the pause" + betweenRemedies + remedy
	}
	return Symptom{"daemon", is, text, remedy}
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
	var advised *human.Error
	if !errors.As(err, &advised) {
		return ""
	}
	return strings.ReplaceAll(advised.Hint, betweenRemedies, " ")
}

// running are the symptoms of a daemon that has answered: how it is, and what it says is not well.
func (d decider) running(tool own) []Symptom {
	by := d.is.Decider
	text := fmt.Sprintf("process %d, up %s, mode %s", by.PID, human.Span(time.Since(by.StartedAt)), cmp.Or(d.is.Mode, "none"))
	if d.host {
		text = "this host's (" + text + ") looks after your servers"
	}
	is, texts, remedies := stateOK, []string(nil), []string(nil)
	say := func(what, remedy string) {
		is, texts, remedies = stateNote, append(texts, what), append(remedies, remedy)
	}
	switch by.Rests {
	case account.Paused:
		say("it is "+state.Pause{Until: by.PausedUntil, Reason: by.PauseReason}.Sentence()+": nothing is reaped", "reaperd resume ends the pause")
	case account.OnlyReports:
		say("it stops nothing", "mode: enforce in "+human.Safe(d.is.Policy.Source)+" has it act; this once: reaperd sweep --mode enforce")
	}
	if p := tool.policy; p != nil && !d.host && d.is.Policy.SHA256 != p.Hash && by.Rests != account.NoPolicy {
		say(d.otherPolicy(p))
	}
	if differs := d.differences(tool); len(differs) > 0 && !d.host {
		say("it differs from this tool: "+strings.Join(differs, "; "), differRemedy)
	}
	if is == stateOK && tool.policy != nil && !d.host {
		text += ", by the policy above"
	}
	if len(texts) > 0 {
		text += ": " + strings.Join(texts, "; ")
	}
	found := []Symptom{{"daemon", is, text, strings.Join(remedies, betweenRemedies)}}
	for _, note := range d.is.Notes {
		found = append(found, d.noted(note))
	}
	return found
}

// noted is what a daemon says is not well.
func (d decider) noted(note account.Note) Symptom {
	is := stateNote
	if of := d.is.Decider.Daemon; of != nil && (of.NotReady != "" || of.LookFault != "") || d.is.Decider.Rests == account.NoPolicy {
		is = stateFault
	}
	return Symptom{"daemon", is, note.Text, cmp.Or(note.Remedy, "reaperd status tells how it goes on")}
}

// otherPolicy tells that a daemon goes by another policy than this tool's.
func (d decider) otherPolicy(here *policy.Policy) (text, remedy string) {
	its := d.is.Policy
	if len(here.Sources) > 0 && here.Sources[0].Name == its.Source {
		return "its policy's file has changed since it read that", "ask again: it reads the file by itself; reaperd status tells if it refuses it"
	}
	text = "it goes by a policy of its own, " + its.Source + " (" + its.SHA256[:min(12, len(its.SHA256))] + "), not by that above"
	remedy = "start it again if it is to go by that above"
	if filepath.IsAbs(its.Source) {
		remedy = "reaperd doctor --policies " + human.Shell(its.Source) + " goes by the same; " + remedy
	}
	return text, remedy
}

// differRemedy is for a daemon that differs. It need not be wrong.
const differRemedy = "if that is not wanted, start it again: after an upgrade, or with other flags or another environment"

// differences are those between a daemon and this tool.
func (d decider) differences(tool own) []string {
	var differs []string
	differ := func(what, its, ours string) {
		if its != ours {
			differs = append(differs, fmt.Sprintf("its %s is %s, here %s", what, cmp.Or(its, "none"), cmp.Or(ours, "none")))
		}
	}
	if of := d.is.Decider.Daemon; of != nil {
		differ("version", cmp.Or(of.Build.Version, "devel"), tool.version)
	}
	if p := tool.policy; p != nil && d.is.Mode != policy.ModeReport { // that is told by itself
		differ("mode", string(d.is.Mode), string(p.Mode))
	}
	if !sameEngines(d.is.Sources, tool.sources) {
		differ("engine", strings.Join(answering(d.is.Sources), ", "), strings.Join(answering(tool.sources), ", "))
	}
	return differs
}

// sameEngines reports that each side knows the engines that the other reads. An engine that
// does not answer is known too: that it hangs makes no difference between the two.
func sameEngines(its, ours []inventory.Source) bool {
	return knowsAll(its, answering(ours)) && knowsAll(ours, answering(its))
}

func knowsAll(sources []inventory.Source, endpoints []string) bool {
	return !slices.ContainsFunc(endpoints, func(endpoint string) bool {
		return !slices.ContainsFunc(sources, func(s inventory.Source) bool { return s.Name == inventory.SourceDocker && s.Endpoint == endpoint })
	})
}

// answering are the endpoints of the engines that answer, in order.
func answering(sources []inventory.Source) []string {
	var endpoints []string
	for _, source := range sources {
		if source.Name == inventory.SourceDocker && (source.Status == inventory.StatusOK || source.Status == inventory.StatusPartial) {
			endpoints = append(endpoints, source.Endpoint)
		}
	}
	slices.Sort(endpoints)
	return endpoints
}

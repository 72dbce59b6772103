package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/docker"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/host"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/journal"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
)

// symptom is one line of a doctor's report.
type symptom struct {
	Check  string `json:"check"`
	State  string `json:"state"` // ok, note or fault
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"`
}

// The states of a symptom. A note is what cannot be seen or done here and is
// no fault; a fault is what should work here and does not.
const (
	stateOK    = "ok"
	stateNote  = "note"
	stateFault = "fault"
)

func newDoctor(s *shared) *cobra.Command {
	l := &looking{shared: s}
	var selfTest bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what reaperd may see and do here, each with the remedy",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if selfTest {
				return l.selfTest(cmd.Context())
			}
			return l.doctor(cmd.Context())
		},
	}
	cmd.Flags().StringVarP(&l.output, "output", "o", "table", "format: table, json or yaml")
	cmd.Flags().StringVar(&l.policies, policyFlag, "", "policy `FILE`")
	cmd.Flags().BoolVar(&selfTest, "self-test", false, "start children in known shapes, compare what is seen of them, and end some: nothing else is touched")
	return cmd
}

func (l *looking) doctor(ctx context.Context) error {
	if err := l.check(); err != nil {
		return err
	}
	symptoms, p := policySymptoms(l.policies)
	symptoms = append(symptoms, journalSymptom())
	found, err := l.lookOnce(ctx, p)
	if err != nil {
		found = []symptom{{inventory.SourceProcesses, stateFault, err.Error(), ""}}
	}
	return l.report(append(symptoms, found...))
}

// report answers with symptoms. A fault among them is a failure.
func (l *looking) report(symptoms []symptom) error {
	if err := l.answer(func(w io.Writer) error { return writeSymptoms(w, symptoms) }, func() ([]byte, error) {
		return json.Marshal(map[string]any{"version": 1, "checks": symptoms})
	}); err != nil {
		return err
	}
	for _, s := range symptoms {
		if s.State == stateFault {
			return exitWith(exitFailed)
		}
	}
	return nil
}

func (l *looking) lookOnce(ctx context.Context, p *policy.Policy) ([]symptom, error) {
	h, err := host.Open(host.Options{Policy: p, Log: l.logger()})
	if err != nil {
		return nil, err
	}
	defer h.Close()
	defer l.progress(0)()
	seen, err := h.Look(ctx, nil)
	if err != nil {
		return nil, err
	}
	if set, read := h.Configured(); read && !has(seen.Sources, inventory.SourceConfiguration) {
		seen.Sources = append(seen.Sources, configurationSource(set))
	}
	g := graph.Correlate(nil, seen, graph.Options{Catalogue: h.Catalogue()})
	return append(hostSymptoms(seen), signalSymptom(p.Mode, signalled(g), h.Reaper(nil).Rehearse)), nil
}

// signalled are the processes that would be signalled if their targets were to
// be ended. Another user's never are, but by root.
func signalled(g *graph.Graph) []inventory.ID {
	var ids []inventory.ID
	for _, target := range g.Targets {
		if slices.ContainsFunc(target.Vetoes, func(v graph.Veto) bool { return v.Guard == graph.GuardForeign }) {
			continue
		}
		for _, member := range target.Members {
			ids = append(ids, member.ID())
		}
	}
	return ids
}

// rehearsedTogether bounds how many handles a rehearsal keeps open.
const rehearsedTogether = 256

// signalSymptom rehearses the end of what runs here: it asks for permission and
// signals nothing. Under mode: report nobody has to have it.
func signalSymptom(mode policy.Mode, ids []inventory.ID, rehearse func([]inventory.ID) []error) symptom {
	if len(ids) == 0 {
		return symptom{"signals", stateNote, "no MCP server runs here to ask for permission to signal it", ""}
	}
	var refused []error
	for some := range slices.Chunk(ids, rehearsedTogether) {
		refused = append(refused, slices.DeleteFunc(rehearse(some), func(err error) bool { return err == nil })...)
	}
	if len(refused) == 0 {
		return symptom{"signals", stateOK, fmt.Sprintf("permitted to every process of an MCP server here (%d)", len(ids)), ""}
	}
	found := symptom{"signals", stateFault, fmt.Sprintf("to %d of %d processes of MCP servers they would fail: %v", len(refused), len(ids), refused[0]), ""}
	if errors.Is(refused[0], fs.ErrPermission) {
		found.Remedy = "in compose: cap_add: [KILL] and security_opt: [apparmor:unconfined]   in Kubernetes: securityContext.capabilities.add and appArmorProfile: {type: Unconfined}   in a unit: CapabilityBoundingSet=CAP_KILL"
	}
	if mode != policy.ModeEnforce {
		found.State = stateNote
	}
	return found
}

func has(sources []inventory.Source, name string) bool {
	return slices.ContainsFunc(sources, func(s inventory.Source) bool { return s.Name == name })
}

func configurationSource(set discover.Set) inventory.Source {
	return inventory.Source{Name: inventory.SourceConfiguration, Status: inventory.StatusOK,
		Reason: fmt.Sprintf("%d configured servers in %s", len(set.Servers()), listed(set.Files()))}
}

func listed(files []string) string {
	if len(files) == 0 {
		return "no file of any client"
	}
	text := ""
	for i, file := range files {
		if i > 0 {
			text += ", "
		}
		text += file
	}
	return text
}

// policySymptoms checks the policy; where it is wrong the built-in one serves
// for the rest of the examination.
func policySymptoms(named string) ([]symptom, *policy.Policy) {
	p, err := loadPolicy(named)
	if err == nil {
		text := fmt.Sprintf("%s, mode %s, %d rules", p.Sources[0].Name, p.Mode, len(p.Rules))
		return []symptom{{"policy", stateOK, text, ""}}, p
	}
	return []symptom{{"policy", stateFault, err.Error(), "reaperd policy check"}}, policyfile.Shipped()
}

func journalSymptom() symptom {
	path := journalPath("")
	if _, err := journal.Open(path, journal.Options{}); err != nil {
		return symptom{"journal", stateFault, err.Error(), "make the folder writable, or name another with --journal"}
	}
	return symptom{"journal", stateOK, path, ""}
}

// hostSymptoms says what can be seen here, and what that leaves unproven.
func hostSymptoms(s *inventory.Snapshot) []symptom {
	symptoms := []symptom{userSymptom(), namespaceSymptom(s)}
	symptoms = append(symptoms, networkSymptoms(os.Readlink)...)
	symptoms = append(symptoms, rightsSymptoms(os.Geteuid(), os.ReadFile)...)
	for _, source := range s.Sources {
		symptoms = append(symptoms, sourceSymptom(source))
	}
	return append(symptoms, clientSymptoms(s)...)
}

func userSymptom() symptom {
	if os.Geteuid() == 0 {
		return symptom{"user", stateOK, "root", ""}
	}
	return symptom{"user", stateNote, "a normal user: your own servers can be ended; another user's process that holds a pipe is not seen, and what it may hold is kept", "run as root for the whole host"}
}

func namespaceSymptom(s *inventory.Snapshot) symptom {
	switch s.Host.PIDNamespace {
	case "init":
		return symptom{"pid namespace", stateOK, "the host's own: every process is visible", ""}
	case "other":
		return symptom{"pid namespace", stateNote, "a scope of its own: only what runs in it is judged, and clients outside are unknown",
			"in compose: pid: host   in Kubernetes: hostPID: true   to watch one agent's container: pid: \"service:NAME\""}
	}
	return symptom{"pid namespace", stateNote, "could not be told", ""}
}

// networkSymptoms says when the first process that can be seen is in another
// network: a container that was given the process table to watch, and not the
// network that goes with it. Nothing is said where that cannot be told.
func networkSymptoms(readlink func(name string) (string, error)) []symptom {
	own, err := readlink("/proc/self/ns/net")
	first, firstErr := readlink("/proc/1/ns/net")
	if err != nil || firstErr != nil || own == first {
		return nil
	}
	return []symptom{{"network", stateNote, "not that of the processes it watches: who holds the other end of their sockets is not told here, only whether it is closed",
		"in compose: network_mode: host   in Kubernetes: hostNetwork: true   to watch one agent's container: network_mode: \"service:NAME\""}}
}

func sourceSymptom(source inventory.Source) symptom {
	name := source.Name
	if source.Endpoint != "" {
		name += " " + source.Endpoint
	}
	text := source.Reason
	if text == "" {
		text = string(source.Status)
	}
	switch source.Status {
	case inventory.StatusOK:
		return symptom{name, stateOK, text, ""}
	case inventory.StatusError:
		return symptom{name, stateFault, text, "start it, or point DOCKER_HOST at the right one"}
	case inventory.StatusAbsent:
		if _, looked, err := docker.Resolve(docker.HostEnvironment()); err == nil && len(looked) > 0 {
			text += ": looked at " + strings.Join(looked, ", ")
		}
		return symptom{name, stateNote, text, "set DOCKER_HOST where the engine is elsewhere; without one only processes are judged"}
	}
	return symptom{name, stateNote, text, partialRemedy(os.Geteuid(), text)}
}

// partialRemedy is what brings the rest of a source that was read in part: by
// its reason, as package scan words it.
func partialRemedy(uid int, reason string) string {
	var remedies []string
	switch {
	case uid != 0:
		remedies = append(remedies, "run as root for the whole table")
	case strings.Contains(reason, "descriptors of"):
		remedies = append(remedies, "in compose: cap_add: [SYS_PTRACE, DAC_READ_SEARCH] and security_opt: [apparmor:unconfined]")
	}
	if strings.Contains(reason, "folder /run/systemd") {
		remedies = append(remedies, "in a container: mount /run/systemd:/run/systemd:ro")
	}
	return strings.Join(remedies, "   ")
}

// clientSymptoms says where containers cannot be told from their clients alone.
func clientSymptoms(s *inventory.Snapshot) []symptom {
	var symptoms []symptom
	for _, source := range s.Sources {
		visible, known := source.ClientsVisible.Get()
		if source.Name == inventory.SourceDocker && known && !visible {
			symptoms = append(symptoms, symptom{"clients of " + source.Endpoint, stateNote,
				"not every client of this engine must be visible here, so a container without one is unknown, not orphaned: " + source.Reason,
				"label what you start: --label reaperd.owner=PID:START:BOOT; label a trusted proxy: reaperd.proxy=true"})
		}
	}
	return symptoms
}

func writeSymptoms(w io.Writer, symptoms []symptom) error {
	for _, s := range symptoms {
		mark := map[string]string{stateOK: "ok   ", stateNote: "note ", stateFault: "FAULT"}[s.State]
		if _, err := fmt.Fprintf(w, "%s  %s: %s\n", mark, human.Safe(s.Check), hanging(s.Text)); err != nil {
			return err
		}
		if s.Remedy != "" && s.State != stateOK {
			fmt.Fprintf(w, "%sremedy: %s\n", underMark, human.Safe(s.Remedy))
		}
	}
	return nil
}

// underMark stands where the lines after a symptom's first begin.
const underMark = "       "

// hanging is a text of several lines, as of a policy's errors, below its mark.
// What would move the cursor is masked: the names in it are anybody's.
func hanging(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = human.Safe(line)
	}
	return strings.Join(lines, "\n"+underMark)
}

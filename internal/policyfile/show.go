package policyfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

// Summary says that a policy has no faults, and what it is. Of the built-in one it says that no file was
// found.
func Summary(p *policy.Policy) string {
	name := p.Sources[0].Name
	text := fmt.Sprintf("%s is right: %s, mode %s, sweeps %s", shown(name), human.Count(len(p.Rules), "rule"), p.Mode, p.Schedule.Spec)
	if name != policy.Builtin {
		return text
	}
	var looked []string
	for _, path := range paths() {
		looked = append(looked, shown(path))
	}
	return text + "; no file of yours was found (" + strings.Join(looked, ", ") + ")"
}

// shown is a path as screens show it.
func shown(path string) string { return human.Home(os.Getenv("HOME")).Short(human.Safe(path)) }

// Notes are remarks about a policy without faults that may not do what its author means.
func Notes(p *policy.Policy) []string {
	var notes []string
	if shipped := Shipped(); len(p.Sources) == 1 && p.Hash != shipped.Hash {
		notes = append(notes, fmt.Sprintf("note: these are all the rules: the %d that reaperd comes with hold only under extends: builtin", len(shipped.Rules)))
	}
	if p.Mode == policy.ModeReport {
		notes = append(notes, "note: in mode report nothing is acted on; mode: enforce acts")
	}
	for i := range p.Rules {
		rule := &p.Rules[i]
		if why := rule.InVain(); why != "" { // all else that is to be said of it does not matter
			notes = append(notes, fmt.Sprintf("note: rule %q does nothing: %s", rule.Name, why))
			continue
		}
		if what := endsInUse(rule); what != "" {
			notes = append(notes, fmt.Sprintf("note: rule %q also stops %s", rule.Name, what))
		}
	}
	return notes
}

// endsInUse says what a rule ends though live sessions use it, and why; "" if it ends nothing of that kind.
func endsInUse(rule *policy.Rule) string {
	switch {
	case rule.EndsServersInUse() || rule.EndsContainersInUse():
		return "what live sessions use: it takes in what has no finding"
	case rule.EndsDuplicates():
		return "servers that live sessions hold: a client may use its oldest copy, and may not start it again"
	}
	return ""
}

// PlaceNotes tell of a file that is not read for its name. named is the policy's file, if it was named.
func PlaceNotes(named string) []string {
	if file := Misnamed(named); file != "" {
		return []string{"note: " + shown(file) + " " + MustBeRenamed}
	}
	return nil
}

// MustBeRenamed says of a [Misnamed] file why it is not read.
const MustBeRenamed = "is not read: its name must be policies.yaml"

// SummaryJSON is [Summary] as one JSON object, with the notes without "note: " before them.
func SummaryJSON(p *policy.Policy, notes []string) ([]byte, error) {
	sentences := []string{}
	for _, note := range notes {
		sentences = append(sentences, strings.TrimPrefix(note, "note: "))
	}
	return json.Marshal(map[string]any{"version": 1, "source": p.Sources[0].Name, "sha256": p.Hash, "faults": []string{}, "rules": len(p.Rules), "mode": p.Mode, "notes": sentences})
}

// FaultsJSON are the faults of an error of [Load] as one JSON object.
func FaultsJSON(err error) ([]byte, error) {
	return json.Marshal(map[string]any{"version": 1, "faults": Texts(err)})
}

// Show writes the policy that holds as YAML that reads back as the same, and the next times of its schedule,
// if that names times.
func Show(w io.Writer, p *policy.Policy, now time.Time) error {
	text := string(bytes.TrimRight(p.Show(), "\n")) + "\n\n# sha256 " + p.Hash + "\n"
	_, err := io.WriteString(w, text+nextTimes(p, now))
	return err
}

// nextTimes are the next times of a schedule that names times.
func nextTimes(p *policy.Policy, now time.Time) (lines string) {
	if p.Schedule.IsInterval() {
		return ""
	}
	for _, at := range p.NextSweeps(now, 3) {
		lines += at.Format("# by this schedule Mon 2006-01-02 15:04:05 MST\n")
	}
	return lines
}

// ShowJSON is [Show] as one JSON object.
func ShowJSON(p *policy.Policy) ([]byte, error) {
	var effective map[string]any
	if err := yaml.Unmarshal(p.Show(), &effective); err != nil {
		return nil, fmt.Errorf("show policy: %w", err)
	}
	effective["source"], effective["sha256"] = p.Sources[0].Name, p.Hash
	return json.Marshal(effective)
}

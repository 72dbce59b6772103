package install

import (
	"fmt"
	"path/filepath"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
)

// foretell returns lines that say what a service will do once it is started. It returns an error,
// with a hint, if the service would not start with its policy, or would act by another policy
// than the one that this user has written.
func (c *installer) foretell(s service) (lines []string, err error) {
	set, err := readFlags(s.flags)
	if err != nil {
		return nil, err
	}
	system := c.machine.path(policyfile.System)
	unread := c.machine.unread(s)
	if set.policies != "" {
		unread = ""
	}
	if unread != "" && !isThere(system) {
		folder := filepath.Dir(policyfile.System)
		return nil, human.Failed("mkdir -p "+folder+" && cp "+human.Shell(unread)+" "+folder+"/   then reaperd install",
			"the service has no home folder: it would not read %s, and act by the built-in policy", human.Safe(unread))
	}
	p, err := c.machine.policy(s.config, set.policies)
	if err != nil {
		return nil, fmt.Errorf("the service would not start: %w", err)
	}
	scan := "    reaperd scan --dry-run"
	if set.policies != "" {
		scan += " --policies " + human.Shell(set.policies)
	}
	if unread != "" {
		lines = append(lines, "The service does not read "+human.Safe(unread)+".")
		scan += " --policies " + policyfile.System
	}
	if set.file != "" {
		lines = append(lines, "It starts with the flags in "+human.Safe(s.flags)+" too.")
	}
	return append(lines, c.acts(set, p, scan)...), nil
}

// acts says whether a service with these flags and this policy stops anything. scan shows what that is.
func (c *installer) acts(set flags, p *policy.Policy, scan string) []string {
	switch {
	case set.mode == policy.ModeReport:
		return []string{"It stops nothing: " + set.modeText() + "."}
	case set.mode == "" && p.Mode == policy.ModeReport:
		return []string{"It stops nothing: " + sourceOf(p) + " says mode: report."}
	}
	return []string{c.beginning() + " (" + modeText(set) + "), by " + sourceOf(p) + ". What it would stop:", scan}
}

// modeText says by what a service acts.
func modeText(set flags) string {
	if set.mode == policy.ModeEnforce {
		return set.modeText()
	}
	return "mode enforce"
}

// beginning says from when on a service acts.
func (c *installer) beginning() string {
	pause, paused, err := c.machine.paused()
	switch {
	case err != nil:
		return "It acts after reaperd resume, since it cannot be told whether it is paused"
	case paused && pause.Until.IsZero():
		return "It is " + pause.Sentence() + "; it acts after reaperd resume"
	case paused:
		return "It is " + pause.Sentence() + "; it acts after that, or after reaperd resume"
	}
	return "It acts from its start"
}

// unread is the policy that this user has written, if the service does not read it; "" if there
// is none.
func (p place) unread(s service) string {
	own := policyfile.Personal(p.config)
	if s.config != "" || own == "" || !isThere(own) {
		return ""
	}
	return own
}

// sourceOf names the file of a policy.
func sourceOf(p *policy.Policy) string {
	if name := p.Sources[0].Name; name != policy.Builtin {
		return human.Safe(name)
	}
	return "the built-in policy"
}

package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/selftest"
)

// newSelfTestPart is what the children of a self-test run.
func newSelfTestPart() *cobra.Command {
	return &cobra.Command{
		Use:                selftest.Command,
		Short:              "Play a child of doctor --self-test",
		Hidden:             true,
		DisableFlagParsing: true, // what stands behind the part is there to be read back
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("reaperd doctor --self-test", "%s: it is doctor that starts this", selftest.Command)
			}
			return selftest.Play(args[0])
		},
	}
}

// selfTest tries reaperd on children of its own. That it could not be tried is a
// fault as well.
func (l *looking) selfTest(ctx context.Context) error {
	if err := l.check(); err != nil {
		return err
	}
	symptoms := []symptom{{"self-test", stateOK, version().short() + " on " + selftest.System(), ""}}
	checks, err := selftest.Run(ctx)
	for _, check := range checks {
		found := symptom{"self-test: " + check.Name, stateOK, check.Saw, ""}
		if !check.OK() {
			found.State, found.Text = stateFault, "saw "+check.Saw+"; it is "+check.Want
			found.Remedy = "report it, with all of this output: what reaperd sees here is not what there is"
		}
		symptoms = append(symptoms, found)
	}
	if err != nil {
		symptoms = append(symptoms, symptom{"self-test", stateFault, "it could not be finished: " + err.Error(), ""})
	}
	return l.report(symptoms)
}

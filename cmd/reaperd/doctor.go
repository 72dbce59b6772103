package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/doctor"
	"github.com/reaperd/reaperd/internal/state"
)

func newDoctor(s *shared) *cobra.Command {
	l := &lookFlags{shared: s}
	var selfTest bool
	var journal string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what reaperd may see and do here, each with the remedy",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if selfTest {
				return l.diagnosis(doctor.SelfTest(cmd.Context(), version().short()))
			}
			return l.doctor(cmd.Context(), journal)
		},
	}
	l.outputFlag(cmd, "table, json or yaml")
	cmd.Flags().StringVar(&l.policies, policyFlag, "", "policy `FILE`")
	journalFlag(cmd.Flags(), &journal)
	cmd.Flags().BoolVar(&selfTest, "self-test", false, "instead of that, start children in known shapes, compare what is seen of them, and end some: nothing else is touched")
	return cmd
}

func (l *lookFlags) doctor(ctx context.Context, journal string) error {
	done := l.Progress(0)
	symptoms := doctor.Examine(ctx, doctor.Options{Policies: l.policies, Journal: journalPath(journal), State: stateDir(), Version: version().short(), Log: l.logger()})
	done()
	return l.diagnosis(symptoms)
}

// diagnosis prints symptoms. It returns an error if one of them is a fault.
func (l *lookFlags) diagnosis(symptoms []doctor.Symptom) error {
	err := l.answer(func(w io.Writer) error {
		return doctor.Write(w, symptoms, doctor.View{Width: l.LineWidth(), Home: state.Home()})
	}, func() ([]byte, error) { return doctor.JSON(symptoms) })
	if err == nil && doctor.HasFault(symptoms) {
		return exitWith(exitFailed)
	}
	return err
}

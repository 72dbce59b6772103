package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
)

func newPolicy(s *shared) *cobra.Command {
	cmd := &cobra.Command{Use: "policy", Short: "Check a policy file, or show what holds", Long: policy.Reference()}
	cmd.AddCommand(newPolicyCheck(s), newPolicyShow(s))
	return cmd
}

func newPolicyCheck(s *shared) *cobra.Command {
	return s.policyCommand(&cobra.Command{
		Use:   "check [FILE]",
		Short: "Name every fault of a policy file, with its line",
		Long: `Names every fault of a policy file, with its line. Of a file without faults it notes what its
author may not mean, such as a rule that ends what live sessions use.`,
	}, (*lookFlags).checkPolicy)
}

func newPolicyShow(s *shared) *cobra.Command {
	return s.policyCommand(&cobra.Command{
		Use:   "show [FILE]",
		Short: "Show the policy that holds, and where each line comes from",
		Long: `Shows the policy that holds: a file over the built-in rules that it extends, with every default.
Behind each line stands the file and the line that it comes from, or "default". With -o json or yaml
there are the values alone.`,
	}, (*lookFlags).showPolicy)
}

// policyCommand makes a command that reads a policy and prints something.
func (s *shared) policyCommand(cmd *cobra.Command, do func(*lookFlags) error) *cobra.Command {
	l := &lookFlags{shared: s}
	cmd.Args = cli.AtMost(1, "one file", false)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := l.check(); err != nil {
			return err
		}
		if named := (cli.Given{Flags: cmd.Flags()}).Text(policyFlag); named != "" && len(args) > 0 {
			return human.Misused(human.Shell("reaperd", "policy", cmd.Name(), args[0]), "policy %s: want one file, got %s and --%s %s", cmd.Name(), args[0], policyFlag, named)
		}
		if len(args) > 0 {
			l.policies = args[0]
		}
		return do(l)
	}
	l.outputFlag(cmd, "table, json or yaml")
	cmd.Flags().StringVar(&l.policies, policyFlag, "", "policy `FILE` (- is stdin)")
	return cmd
}

func (l *lookFlags) checkPolicy() error {
	p, err := policyfile.LoadToShow(l.policies, l.In)
	if err != nil {
		return l.tellFaults(err)
	}
	notes := slices.Concat(policyfile.Notes(p), policyfile.PlaceNotes(l.policies))
	err = l.answer(func(w io.Writer) error {
		_, err := fmt.Fprintln(w, human.Hanging("", policyfile.Summary(p), l.LineWidth()))
		return err
	},
		func() ([]byte, error) { return policyfile.SummaryJSON(p, notes) })
	if err == nil && l.text() {
		l.Remark(notes...)
	}
	return err
}

// tellFaults prints the policy's faults in the format for programs, and returns the
// error.
func (l *lookFlags) tellFaults(fault error) error {
	if l.text() {
		return fault
	}
	if err := l.answer(nil, func() ([]byte, error) { return policyfile.FaultsJSON(fault) }); err != nil {
		return err
	}
	return fault
}

func (l *lookFlags) showPolicy() error {
	p, err := policyfile.LoadToShow(l.policies, l.In)
	if err != nil {
		return err
	}
	if l.text() {
		defer l.Remark(policyfile.PlaceNotes(l.policies)...)
	}
	return l.answer(func(w io.Writer) error { return policyfile.Show(w, p, time.Now()) },
		func() ([]byte, error) { return policyfile.ShowJSON(p) })
}

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
)

func newPolicy(s *shared) *cobra.Command {
	cmd := &cobra.Command{Use: "policy", Short: "Check a policy file, or show what holds", Long: policy.Reference()}
	cmd.AddCommand(newPolicyCheck(s), newPolicyShow(s))
	return cmd
}

// policyFlags are the flags of commands that read one policy and print.
type policyFlags struct {
	lookFlags
}

func (r *policyFlags) load(args []string) (*policy.Policy, error) {
	if r.output != "table" && r.output != "json" && r.output != "yaml" {
		return nil, advice.Misused("", "-o %q: want table, json or yaml", r.output)
	}
	if len(args) > 0 {
		return policyfile.Load(args[0])
	}
	return policyfile.Load(r.policies)
}

func (r *policyFlags) readingFlags(cmd *cobra.Command) {
	cmd.Args = cli.AtMost(1, "one file", false)
	cmd.Flags().StringVarP(&r.output, "output", "o", "table", "format: table, json or yaml")
	cmd.Flags().StringVar(&r.policies, policyFlag, "", "policy `FILE`")
}

func newPolicyCheck(s *shared) *cobra.Command {
	r := &policyFlags{lookFlags{shared: s}}
	cmd := &cobra.Command{
		Use:   "check [FILE]",
		Short: "Name every fault of a policy file, with its line",
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := r.load(args)
			if err != nil {
				return r.tellFaults(err)
			}
			return r.answer(func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s is right: %d rules, mode %s, sweeps %s\n", p.Sources[0].Name, len(p.Rules), p.Mode, p.Schedule.Spec)
				return err
			}, func() ([]byte, error) {
				return json.Marshal(map[string]any{"version": 1, "source": p.Sources[0].Name, "sha256": p.Hash, "faults": []string{}, "rules": len(p.Rules), "mode": p.Mode})
			})
		},
	}
	r.readingFlags(cmd)
	return cmd
}

// tellFaults answers with the faults where a program asks, and is the error.
func (r *policyFlags) tellFaults(fault error) error {
	if code, made := codeOf(fault); r.text() || !made || code != exitUsage {
		return fault
	}
	err := r.answer(nil, func() ([]byte, error) {
		return json.Marshal(map[string]any{"version": 1, "faults": strings.Split(strings.TrimRight(fault.Error(), "\n"), "\n")})
	})
	if err != nil {
		return err
	}
	return fault
}

func newPolicyShow(s *shared) *cobra.Command {
	r := &policyFlags{lookFlags{shared: s}}
	cmd := &cobra.Command{
		Use:   "show [FILE]",
		Short: "Show the policy that holds, and where each line comes from",
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := r.load(args)
			if err != nil {
				return err
			}
			return r.answer(func(w io.Writer) error { return showPolicy(w, p) }, func() ([]byte, error) {
				return policyJSON(p)
			})
		},
	}
	r.readingFlags(cmd)
	return cmd
}

// showPolicy prints the effective policy as YAML that reads back as the same.
func showPolicy(w io.Writer, p *policy.Policy) error {
	if _, err := w.Write(bytes.TrimRight(p.Show(), "\n")); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n\n# sha256 %s\n", p.Hash)
	for _, at := range p.NextSweeps(time.Now(), 3) {
		fmt.Fprintf(w, "# next sweep %s\n", at.Format("Mon 2006-01-02 15:04:05 MST"))
	}
	return nil
}

// policyJSON is the effective policy as one JSON value.
func policyJSON(p *policy.Policy) ([]byte, error) {
	var effective map[string]any
	if err := yaml.Unmarshal(p.Show(), &effective); err != nil {
		return nil, fmt.Errorf("show policy: %w", err)
	}
	effective["source"], effective["sha256"] = p.Sources[0].Name, p.Hash
	return json.Marshal(effective)
}

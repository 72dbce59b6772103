package main

import (
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
)

// policyFlag is the --policies flag that many commands have.
const policyFlag = "policies"

// loadPolicy reads the named policy file, else the first that is there, else
// the embedded one.
func loadPolicy(named string) (*policy.Policy, error) {
	loaded, err := policyfile.Load(named)
	if err != nil {
		return nil, &failure{code: exitUsage, err: err, hint: policyfile.Hint(err)}
	}
	return loaded, nil
}

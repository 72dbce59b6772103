package main

import (
	"github.com/spf13/pflag"

	"github.com/reaperd/reaperd/internal/policy"
)

// The flags that several commands have.

// policyFlag is the name of --policies.
const policyFlag = "policies"

func journalFlag(flags *pflag.FlagSet, path *string) {
	flags.StringVar(path, "journal", "", "journal `FILE` (default: in the state directory)")
}

func modeFlag(flags *pflag.FlagSet, mode *policy.Mode) {
	flags.Func("mode", "enforce or report, over the policy's own mode", func(text string) (err error) {
		*mode, err = policy.ParseMode(text)
		return err
	})
}

func policiesFlag(flags *pflag.FlagSet, path *string) {
	flags.StringVar(path, policyFlag, "", "policy `FILE` (default: the user's, /etc/reaperd's, the built-in one)")
}

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/reaperd/reaperd"
	"github.com/reaperd/reaperd/internal/policy"
)

// policyFlag is the --policies flag that many commands have.
const policyFlag = "policies"

// builtin is the embedded policy.
func builtin() policy.File {
	return policy.File{Name: policy.Builtin, Data: reaperd.DefaultPolicy()}
}

// shippedPolicy is the built-in policy alone.
func shippedPolicy() *policy.Policy {
	p, err := policy.Load(builtin(), builtin())
	if err != nil { // the tests hold that it loads
		panic(err)
	}
	return p
}

// systemPolicy is the host's own policy.
const systemPolicy = "/etc/reaperd/policies.yaml"

// policyPaths are where a policy is looked for when none is named, first to last.
func policyPaths() []string {
	var paths []string
	if config := userDirectory("XDG_CONFIG_HOME", ".config"); config != "" {
		paths = append(paths, filepath.Join(config, "reaperd", "policies.yaml"))
	}
	return append(paths, systemPolicy)
}

// userDirectory is an XDG base directory, the same on every system: the
// variable where it is an absolute path, else the folder below the home; empty
// where there is no home.
func userDirectory(variable, below string) string {
	if dir := os.Getenv(variable); filepath.IsAbs(dir) {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil || home == "" {
		return ""
	}
	return filepath.Join(home, filepath.FromSlash(below))
}

// loadPolicy reads the named policy file, else the first that is there, else
// the embedded one.
func loadPolicy(named string) (*policy.Policy, error) {
	file, err := findPolicy(named)
	if err != nil {
		return nil, err
	}
	loaded, err := policy.Load(file, builtin())
	if err != nil {
		return nil, &failure{code: exitUsage, err: err, hint: "reaperd help policy   shows the keys, reaperd policy show   what holds now"}
	}
	return loaded, nil
}

func findPolicy(named string) (policy.File, error) {
	if named != "" {
		data, err := os.ReadFile(named)
		if err != nil {
			return policy.File{}, usage("--policies names a file; without it "+strings.Join(policyPaths(), ", ")+" and the built-in policy are tried", "read policy: %w", err)
		}
		return policy.File{Name: named, Data: data}, nil
	}
	for _, path := range policyPaths() {
		data, err := os.ReadFile(path)
		switch {
		case err == nil:
			return policy.File{Name: path, Data: data}, nil
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission):
			return policy.File{}, usage("", "read policy: %w", err)
		case errors.Is(err, fs.ErrPermission):
			return policy.File{}, usage("make it readable, or name another file with --policies", "read policy: %w", err)
		}
	}
	return builtin(), nil
}

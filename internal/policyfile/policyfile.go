// Package policyfile finds and reads the policy in force: the file that was named,
// else the first of [paths] that exists, else the built-in one. A policy decides what
// is ended, so its file must belong to this user or to root, and nobody else may be
// able to write or replace it ([ownfile]).
package policyfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/reaperd/reaperd"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/ownfile"
	"github.com/reaperd/reaperd/internal/policy"
)

// System is the host's own policy.
const System = "/etc/reaperd/policies.yaml"

// most is the largest file that is read, in bytes.
const most = 1 << 20

// builtin is the embedded policy.
func builtin() policy.File {
	return policy.File{Name: policy.Builtin, Data: reaperd.DefaultPolicy()}
}

// Shipped is the embedded policy alone.
func Shipped() *policy.Policy {
	p, err := policy.Load(builtin(), builtin())
	if err != nil { // a test of the embedded file holds that it loads
		panic(err)
	}
	return p
}

// modeVariable sets the mode where no flag does.
const modeVariable = "REAPERD_MODE"

// InMode is a policy in the mode that was asked for by a flag or its variable; in its own, if mode is empty.
func InMode(p *policy.Policy, mode policy.Mode) *policy.Policy {
	if mode != "" && string(mode) == os.Getenv(modeVariable) {
		return p.WithMode(mode, modeVariable)
	}
	return p.WithMode(mode, "--mode")
}

// Personal is the policy below a user's configuration folder; "" without such a folder.
func Personal(config string) string {
	if config == "" {
		return ""
	}
	return filepath.Join(config, "reaperd", "policies.yaml")
}

// paths are the places of a policy that was not named, in order.
func paths() []string { return placesBelow(Config()) }

// Config is this user's configuration folder; "" without one.
func Config() string { return ownfile.UserFolder("XDG_CONFIG_HOME", ".config") }

// placesBelow is [paths] for a user with a configuration folder; "" is a user without one.
func placesBelow(config string) []string {
	if personal := Personal(config); personal != "" {
		return []string{personal, System}
	}
	return []string{System}
}

// Candidates are the files that a policy may come from: the named one, else [paths].
func Candidates(named string) []string {
	if named != "" {
		return []string{named}
	}
	return paths()
}

// Chosen is the file that the policy in force is read from, whether it is refused or not; "" is none:
// the built-in one is in force.
func Chosen(named string) string {
	for _, path := range Candidates(named) {
		if named != "" || isThere(path) {
			return path
		}
	}
	return ""
}

// isThere reports that a file is in a place, or a link that should lead to one, read or not.
func isThere(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist) || deadLink(path) != ""
}

// Misnamed is a file whose ending hides it: policies.yml where policies.yaml is looked for, and is
// not; "" is none. Only a policy that was not named is looked for.
func Misnamed(named string) string {
	if named != "" {
		return ""
	}
	return misnamed(paths())
}

func misnamed(places []string) string {
	for _, path := range places {
		if isThere(path) {
			return ""
		}
		if other := strings.TrimSuffix(path, ".yaml") + ".yml"; isThere(other) {
			return other
		}
	}
	return ""
}

// IsChosen reports that commands go by a policy without --policies.
func IsChosen(p *policy.Policy) bool {
	chosen, shown := Chosen(os.Getenv("REAPERD_POLICIES")), p.Sources[0].Name
	if chosen == "" {
		return shown == policy.Builtin
	}
	a, errA := os.Stat(chosen)
	b, errB := os.Stat(shown)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// Load reads the policy in force. The error holds [policy.Faults], or says why a file
// cannot be trusted, with a hint.
func Load(named string) (*policy.Policy, error) {
	return load(Candidates(named), named != "")
}

// LoadFor is [Load] for a service whose configuration folder is config; "" if it has none, as a
// service of the system.
func LoadFor(config string) (*policy.Policy, error) { return load(placesBelow(config), false) }

// load reads the policy at the first of the places that has one. If it must be there, the
// built-in policy is no answer.
func load(places []string, must bool) (*policy.Policy, error) {
	file, err := find(places, must)
	if err != nil {
		return nil, human.Misused(hint(err, os.Geteuid()), "read policy: %w", err)
	}
	return loadFile(file)
}

// LoadToShow is [Load] for a policy that is only checked or shown. "-" is stdin: nobody's file, by which
// nothing else goes.
func LoadToShow(named string, stdin io.Reader) (*policy.Policy, error) {
	if named != "-" {
		return Load(named)
	}
	data, err := io.ReadAll(io.LimitReader(stdin, most+1))
	if err == nil && len(data) > most {
		err = fmt.Errorf("larger than %d MiB: no policy is", most>>20)
	}
	if err != nil {
		return nil, human.Misused("", "read policy: stdin: %w", err)
	}
	return loadFile(policy.File{Name: "stdin", Data: data})
}

func loadFile(file policy.File) (*policy.Policy, error) {
	p, err := policy.Load(file, builtin())
	if err != nil {
		return nil, human.Misused(hint(err, os.Geteuid()), "%w", err)
	}
	return p, nil
}

// LoadAnyway is [Load] for commands that decide nothing by the policy: pin must work while
// the file has faults. If no file was named and the one that was found is refused, LoadAnyway
// returns the built-in policy, and a note that says so.
func LoadAnyway(named string) (p *policy.Policy, note string, err error) {
	p, err = Load(named)
	if err == nil || named != "" {
		return p, "", err
	}
	return Shipped(), "note: the policy is refused (reaperd policy check says why): programs that only it names are not known here", nil
}

func find(places []string, must bool) (policy.File, error) {
	for _, path := range places {
		data, err := read(path)
		switch {
		case err == nil:
			return policy.File{Name: path, Data: data}, nil
		case must || !errors.Is(err, fs.ErrNotExist):
			return policy.File{}, err
		}
	}
	return builtin(), nil
}

// Fingerprint is equal while the content of the files, and whether they can be
// trusted, stay the same.
func Fingerprint(files []string) string {
	var b strings.Builder
	for _, file := range files {
		data, err := read(file)
		if err != nil {
			b.WriteString("-" + err.Error())
		}
		b.Write(data)
		b.WriteByte(0)
	}
	return b.String()
}

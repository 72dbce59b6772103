package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/reaperd/reaperd"
	"github.com/reaperd/reaperd/internal/ownfile"
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
		data, err := readSteering(named)
		if err != nil {
			return policy.File{}, usage(hintFor(err), "read policy: %w", err)
		}
		return policy.File{Name: named, Data: data}, nil
	}
	for _, path := range policyPaths() {
		data, err := readSteering(path)
		switch {
		case err == nil:
			return policy.File{Name: path, Data: data}, nil
		case !errors.Is(err, fs.ErrNotExist):
			return policy.File{}, usage(hintFor(err), "read policy: %w", err)
		}
	}
	return builtin(), nil
}

// maxPolicy is the largest policy file that is read, in bytes.
const maxPolicy = 1 << 20

// readSteering reads a file that says what reaperd does: root's or this user's own,
// that nobody else can write or replace. It waits for nothing. The error says what
// would help.
func readSteering(path string) ([]byte, error) {
	data, err := ownfile.Read(path, ownfile.Terms{Owner: os.Geteuid(), Most: maxPolicy, Links: true, Folders: ownfile.AllFolders})
	if err == nil {
		return data, nil
	}
	if what := remedy(path, err); what != "" {
		return nil, fmt.Errorf("%s: %w: %s", path, err, what)
	}
	return nil, &fs.PathError{Op: "open", Path: path, Err: err}
}

// remedy is what makes a file one that reaperd may go by; empty is not known.
func remedy(path string, err error) string {
	var folder *ownfile.FolderError
	if errors.As(err, &folder) {
		path = folder.Folder
	}
	switch {
	case errors.Is(err, ownfile.ErrWritable):
		return "chmod go-w " + path
	case errors.Is(err, ownfile.ErrForeign) && folder != nil:
		return "move the file to a folder that is yours or root's alone"
	case errors.Is(err, ownfile.ErrForeign):
		return "chown it to " + ownName() + ", or copy it"
	case errors.Is(err, ownfile.ErrIrregular):
		return "name a regular file"
	}
	return ""
}

// ownName is this user as chown takes it.
func ownName() string {
	if uid := os.Geteuid(); uid != 0 {
		return strconv.Itoa(uid)
	}
	return "root"
}

// hintFor is what to do about a policy that could not be read, where the error does
// not say it.
func hintFor(err error) string {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "make it readable, or name another file with --policies"
	case errors.Is(err, fs.ErrNotExist):
		return "--policies names a file; without it " + strings.Join(policyPaths(), ", ") + " and the built-in policy are tried"
	}
	return ""
}

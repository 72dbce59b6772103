package wrap

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/human"
)

// files opens the named files, or without names all that are discovered and, to undo, recorded. faults are of
// those that could not be opened.
func (r Request) files(ctx context.Context) (files []configFile, faults []error, err error) {
	known, err := ownConfigurations(ctx)
	if err != nil {
		return nil, nil, err
	}
	if r.Undo {
		r.addRecorded(known)
	}
	paths := map[string]string{}
	for _, name := range r.Names {
		switch {
		case isClient(name):
			for path, client := range known {
				if client == name {
					paths[path] = client
				}
			}
		case !strings.ContainsAny(name, "/.") && !exists(name):
			return nil, nil, human.Misused("clients: "+strings.Join(discover.Clients(), ", "), "%q is neither a client, nor a file or folder here", name)
		default:
			if err := addNamed(ctx, paths, known, name); err != nil {
				return nil, nil, err
			}
		}
	}
	if len(r.Names) == 0 {
		paths = known
	}
	return openAll(paths)
}

// addNamed adds a file, or those of clients in a folder.
func addNamed(ctx context.Context, paths, known map[string]string, name string) error {
	path, err := filepath.Abs(name)
	switch {
	case err != nil: // the working directory was removed
		return human.Failed("cd to a folder that is there", "find %s: %w", name, err)
	case isFolder(path):
		return addFolder(ctx, paths, path)
	}
	paths[path] = cmp.Or(known[path], discover.ClientOf(path))
	return nil
}

// addFolder adds the files in a folder by which the clients of a session there go. Those above it
// are left out.
func addFolder(ctx context.Context, paths map[string]string, folder string) error {
	home, err := ownHome()
	if err != nil {
		return err
	}
	set, _ := discover.New(discover.Options{}).Configured(ctx, []discover.Home{home}, []discover.Workdir{discover.At(folder)})
	found, err := clientsOf(set)
	for path, client := range found {
		if below, _ := filepath.Rel(folder, path); filepath.IsLocal(below) {
			paths[path] = client
		}
	}
	return err
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// addRecorded adds the files that wrap has changed elsewhere, as far as they are there.
func (r Request) addRecorded(known map[string]string) {
	if r.State == "" {
		return
	}
	recorded, _ := r.State.Wrapped(os.Geteuid()) // without the record only what is found is undone, as Scope says
	for _, path := range recorded {
		if known[path] == "" && exists(path) {
			known[path] = discover.ClientOf(path)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// openAll opens files. faults are of those that are there and could not be opened: they may have been found
// and not named.
func openAll(paths map[string]string) (files []configFile, faults []error, err error) {
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		file, err := openFile(path, paths[path])
		_, missing := os.Lstat(path)
		switch {
		case err == nil:
			files = append(files, file)
		case missing == nil:
			faults = append(faults, fmt.Errorf("read configuration: %w", err))
		default:
			return nil, nil, human.Failed("name a file that can be read, or a client: "+strings.Join(discover.Clients(), ", "), "read configuration: %w", err)
		}
	}
	return files, faults, nil
}

// ownConfigurations returns the files with servers in the user's home and around the
// working directory, each with its client.
func ownConfigurations(ctx context.Context) (map[string]string, error) {
	home, err := ownHome()
	if err != nil {
		return nil, err
	}
	return clientsOf(discover.Around(ctx, []discover.Home{home}))
}

func ownHome() (discover.Home, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return discover.Home{}, human.Failed("name the file", "%w", err)
	}
	return discover.Home{Dir: home, UID: os.Getuid()}, nil
}

// clientsOf returns the files of a set, each with its client. Files that could not be read are
// among them: what reads them again says why.
func clientsOf(set discover.Set) (map[string]string, error) {
	found := map[string]string{}
	for _, server := range set.Servers() {
		found[server.File] = server.Client
	}
	return found, addFaulty(found, set)
}

// addFaulty adds the files of clients that could not be read. It returns an error if a
// folder could not be read.
func addFaulty(found map[string]string, set discover.Set) error {
	for _, fault := range set.Faults() {
		if found[fault.File] != "" || slices.Contains(set.Files(), fault.File) {
			continue // some of its servers could be read
		}
		client := discover.ClientOf(fault.File)
		if client == "" {
			return unreadError{human.Failed("name the file", "%s: %s", fault.File, fault.Text)}
		}
		found[fault.File] = client
	}
	return nil
}

// searches reports that not every file is named.
func (r Request) searches() bool { return len(r.Names) == 0 || slices.ContainsFunc(r.Names, isClient) }

// clients are the clients that were named.
func (r Request) clients() []string {
	others := func(name string) bool { return !isClient(name) }
	return slices.Compact(slices.DeleteFunc(slices.Sorted(slices.Values(r.Names)), others))
}

func isClient(name string) bool { return slices.Contains(discover.Clients(), name) }

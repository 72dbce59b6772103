package wrap

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/reaperd/reaperd/internal/discover"
)

// fileChange is a planned change of one file.
type fileChange struct {
	Before, After []byte
	// Entries are the file's servers before the change, Servers those that it changes.
	Entries []entry
	Servers []rewritten
}

// rewritten is a server whose command line changes.
type rewritten struct {
	name          string
	before, after []string
}

// isNone reports that the file stays as it is.
func (c fileChange) isNone() bool { return bytes.Equal(c.Before, c.After) }

// wrapping returns the change that puts `program exec` in front of every server that a
// file starts.
func wrapping(data []byte, config discover.Config, program string) (fileChange, error) {
	c, err := changing(data, config, func(d document, e entry) ([]edit, []string) {
		if e.State != unwrapped {
			return nil, nil
		}
		return d.wrap(e, program), wrapWords(program, e.Name, e.Words)
	})
	if err != nil {
		return c, err
	}
	return c, c.check(config, func(s discover.Server) []string {
		words := apart(s)
		if isWrapped(words) || s.URL != "" || isUnclear(c.Entries, s.Name) {
			return commandLine(s)
		}
		return wrapWords(program, s.Name, words)
	})
}

// unwrapping returns the change that takes exec away from every server that wrap has put it
// before.
func unwrapping(data []byte, config discover.Config) (fileChange, error) {
	c, err := changing(data, config, func(d document, e entry) ([]edit, []string) {
		if e.State != wrapped || !isOurs(e.Words) {
			return nil, nil
		}
		return d.unwrap(e), unwrapWords(e.Words)
	})
	if err != nil {
		return c, err
	}
	return c, c.check(config, func(s discover.Server) []string { return undoneWords(commandLine(s)) })
}

// changing returns a change made of the edits for every entry, and of the words that they make of it.
func changing(data []byte, config discover.Config, edits func(document, entry) ([]edit, []string)) (fileChange, error) {
	d, err := parse(data, config)
	if err != nil {
		return fileChange{}, err
	}
	c := fileChange{Before: data, Entries: d.entries}
	var all []edit
	for _, e := range c.Entries {
		if made, words := edits(d, e); len(made) > 0 {
			all = append(all, made...)
			c.Servers = append(c.Servers, rewritten{e.Name, e.Words, words})
		}
	}
	c.After = apply(data, all)
	return c, nil
}

// errNotSame means that this package misread the file.
var errNotSame = errors.New("cannot be changed in place without changing something else: edit it by hand")

// check reads both texts as the client does. They must have the same servers in the
// same order, each with the intended command line.
func (c fileChange) check(config discover.Config, meant func(discover.Server) []string) error {
	before, err := discover.Read(config, c.Before)
	if len(before) == 0 && err != nil {
		return err // some servers could be read: ignore the faults of others
	}
	after, _ := discover.Read(config, c.After)
	if len(before) != len(after) {
		return errNotSame
	}
	for i := range before {
		same := before[i].Name == after[i].Name && before[i].URL == after[i].URL && before[i].Folder == after[i].Folder
		if !same || !slices.Equal(commandLine(after[i]), meant(before[i])) {
			return fmt.Errorf("server %.80q: %w", before[i].Name, errNotSame)
		}
	}
	return nil
}

func commandLine(s discover.Server) []string {
	if s.Command == "" {
		return nil
	}
	return append([]string{s.Command}, s.Args...)
}

// apart returns a server's command line in words. It splits a command of several words.
func apart(s discover.Server) []string { return append(split(s.Command, len(s.Args) > 0), s.Args...) }

// isUnclear reports whether an entry of that name cannot be changed in place.
func isUnclear(entries []entry, name string) bool {
	return slices.ContainsFunc(entries, func(e entry) bool { return e.Name == name && e.State == unclear })
}

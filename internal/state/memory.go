package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/reaperd/reaperd/internal/graph"
)

// memoryFile has the [Memory] of a daemon.
const memoryFile = "memory.json"

// mostShapes limits what is kept by shape: what is over it is known again only while its session lives.
const mostShapes = 4096

// Memory is what a daemon knows of one boot, and no look shows to the daemon that starts after it.
type Memory struct {
	Version int    `json:"version"`
	BootID  string `json:"boot_id"`
	// ByShape are the servers that nothing but the shape tells which they had below their session or
	// gateway, by their ids. Nobody sees that shape any more once they are leaked. It makes a server of
	// what had the very identity; whether it is leaked is seen anew.
	ByShape []string `json:"by_shape"`
	// Began is what sessions were seen to start, by the ids of processes and containers. Left are the
	// sessions that have ended, by the ids of the targets that they left. Both are for reports.
	Began map[string]graph.Began `json:"began"`
	Left  map[string]graph.Owner `json:"left"`
}

// Memory is that of an earlier daemon of a boot; empty if there is none.
func (d Dir) Memory(bootID string) (Memory, error) {
	var m Memory
	err := d.read(memoryFile, os.Geteuid(), &m)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Memory{}, nil
	case err != nil:
		return Memory{}, fmt.Errorf("read %s: %w", d.path(memoryFile), err)
	case bootID == "" || m.BootID != bootID:
		return Memory{}, nil
	}
	return m, nil
}

// Remember replaces what [Dir.Memory] reads. Of too much, what is for reports is not kept.
func (d Dir) Remember(m Memory) error {
	m.Version, m.ByShape = version, m.ByShape[:min(len(m.ByShape), mostShapes)]
	if err := d.make(); err != nil {
		return err
	}
	err := d.write(memoryFile, m)
	if errors.Is(err, errTooLarge) {
		m.Began, m.Left = nil, nil
		err = d.write(memoryFile, m)
	}
	return err
}

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// build is the build information of this binary.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// The linker sets these (-X main.linkedVersion) if the build knows what the module does
// not: the version of a tag, and the commit where Go records none (-buildvcs=false).
var linkedVersion, linkedRevision string

func version() build {
	b := build{Revision: linkedRevision, Modified: strings.HasSuffix(linkedVersion, "-dirty"), Version: "devel", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; v != "" && v != "(devel)" {
			b.Version = v
		}
		for _, setting := range info.Settings {
			switch setting.Key {
			case "vcs.revision":
				b.Revision = setting.Value
			case "vcs.modified":
				b.Modified = setting.Value == "true"
			}
		}
	}
	if linkedVersion != "" {
		b.Version = linkedVersion
	}
	return b
}

func (b build) short() string { return b.Version }

// errVersion ends the reading of a command line with --version.
var errVersion = errors.New("the version is asked for")

// addVersionFlag adds --version. cobra's own flag prints "reaperd version ..." unless it
// has a template, and templates make the program 3 MB larger
// (TestNothingFindsMethodsByName).
func addVersionFlag(root *cobra.Command) {
	root.Flags().BoolFuncP("version", "v", "version for reaperd", func(string) error { return errVersion })
}

func (s *shared) showVersion() { fmt.Fprintf(s.Out, "reaperd %s\n", version().short()) }

func newVersion(s *shared) *cobra.Command {
	l := &lookFlags{shared: s}
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Show the version and what it was built from",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := version()
			return l.answer(func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "reaperd %s %s/%s %s%s\n", b.Version, b.OS, b.Arch, b.Go, b.revisionText())
				return err
			}, func() ([]byte, error) { return json.Marshal(b) })
		},
	}
	l.outputFlag(cmd, "table, json or yaml")
	return cmd
}

// revisionText names the commit. A build from a source archive has none.
func (b build) revisionText() string {
	if b.Revision == "" {
		return ", commit unknown"
	}
	text := ", commit " + b.Revision[:min(12, len(b.Revision))]
	if b.Modified {
		text += ", modified"
	}
	return text
}

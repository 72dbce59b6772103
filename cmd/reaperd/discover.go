package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/discover"
	"github.com/reaperd/reaperd/internal/host"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/redact"
)

func newDiscover(s *shared) *cobra.Command {
	l := &looking{shared: s}
	cmd := &cobra.Command{
		Use:   "discover",
		Short: "List the MCP servers that this host's clients are configured to start",
		Long: `Reads the clients' own configuration (names, command, args and url; nothing else)
and lists the servers it names.

On macOS a background daemon must not read below Documents, Desktop, Downloads,
Library or /Volumes: each read would raise a permission dialog. There this
command, run in a terminal, reads them and leaves what it found for the daemon.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return l.discoverServers(cmd.Context()) },
	}
	cmd.Flags().StringVarP(&l.output, "output", "o", "table", "format: table, json or yaml")
	cmd.Flags().StringVar(&l.policies, policyFlag, "", "policy `FILE`, for the sessions it names")
	return cmd
}

func (l *looking) discoverServers(ctx context.Context) error {
	if err := l.check(); err != nil {
		return err
	}
	p, err := loadPolicy(l.policies)
	if err != nil {
		return err
	}
	asked := *p
	asked.Discover = true // asked for by name, whatever the policy says
	_, h, err := l.sweeper(&asked)
	if err != nil {
		return err
	}
	defer h.Close()
	if _, err := h.Look(ctx, nil); err != nil {
		return failed("reaperd doctor", "look at this host: %w", err)
	}
	set, _ := h.Configured()
	if err := l.answer(func(w io.Writer) error { return writeConfigured(w, set) }, func() ([]byte, error) {
		return json.Marshal(map[string]any{"version": 1, "files": set.Files(), "servers": configuredJSON(set)})
	}); err != nil {
		return err
	}
	return l.keepDiscovered(h)
}

// keepDiscovered leaves what was found for the daemon, where it cannot look itself.
func (l *looking) keepDiscovered(h *host.Host) error {
	file, err := h.SaveConfigured(stateDir())
	if err != nil {
		return failed("", "keep what was found: %w", err)
	}
	if file != "" {
		fmt.Fprintf(l.err, "kept for the daemon in %s\n", file)
	}
	return nil
}

type configuredServer struct {
	Name    string   `json:"name"`
	Client  string   `json:"client,omitempty"`
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	URL     string   `json:"url,omitempty"`
	Image   string   `json:"image,omitempty"`
	File    string   `json:"file,omitempty"`
}

func configuredJSON(set discover.Set) []configuredServer {
	servers := []configuredServer{}
	for _, s := range set.Servers() {
		line := redactedCommand(s)
		servers = append(servers, configuredServer{Name: s.Name, Client: s.Client, Command: s.Command, Args: line, URL: redactedURL(s), Image: s.Image, File: s.File})
	}
	return servers
}

// redactedCommand are a configured server's arguments without secrets.
func redactedCommand(s discover.Server) []string {
	if s.Command == "" {
		return nil
	}
	return redact.Args(append([]string{s.Command}, s.Args...))[1:]
}

func redactedURL(s discover.Server) string { return redact.Text(s.URL) }

// writeConfigured lists servers by the file that names them. A repository may
// bring such a file, so what would move the cursor is masked.
func writeConfigured(w io.Writer, set discover.Set) error {
	servers := set.Servers()
	if len(servers) == 0 {
		_, err := fmt.Fprintln(w, "No client of any user here is configured to start an MCP server.")
		return err
	}
	slices.SortStableFunc(servers, func(a, b discover.Server) int { return strings.Compare(a.File+a.Name, b.File+b.Name) })
	file := ""
	for _, s := range servers {
		if s.File != file {
			file = s.File
			fmt.Fprintf(w, "%s (%s)\n", human.Safe(file), human.Safe(s.Client))
		}
		what := strings.Join(append([]string{s.Command}, redactedCommand(s)...), " ")
		if s.Command == "" {
			what = redactedURL(s) + s.Image
		}
		if _, err := fmt.Fprintf(w, "  %-24s %s\n", human.Safe(s.Name), human.Safe(what)); err != nil {
			return err
		}
	}
	return nil
}

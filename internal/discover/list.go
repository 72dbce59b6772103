package discover

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/redact"
)

// listed is a configured server as `reaperd discover` shows it, without secrets.
type listed struct {
	Name    string   `json:"name"`
	Client  string   `json:"client,omitempty"`
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	URL     string   `json:"url,omitempty"`
	Image   string   `json:"image,omitempty"`
	File    string   `json:"file,omitempty"`
}

func (s *Server) listed() listed {
	l := listed{Name: s.Name, Client: s.Client, Command: s.Command, URL: redact.Text(s.URL), Image: s.Image, File: s.File}
	if s.Command != "" {
		l.Args = redact.Args(append([]string{s.Command}, s.Args...))[1:]
	}
	return l
}

// JSON is a set as one JSON object.
func (s Set) JSON() ([]byte, error) {
	set := printed{Version: 1, Files: append([]string{}, s.files...), Servers: []listed{}, Faults: []fault{}}
	for i := range s.servers {
		set.Servers = append(set.Servers, s.servers[i].listed())
	}
	for _, f := range s.faults {
		set.Faults = append(set.Faults, fault{f.File, f.Text})
	}
	return json.Marshal(set)
}

type printed struct {
	Version int      `json:"version"`
	Files   []string `json:"files"`
	Servers []listed `json:"servers"`
	Faults  []fault  `json:"faults"`
}

// fault is a file or folder that was not used, as a whole or in part, and why.
type fault struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

// DocumentType is the type that [Set.JSON] encodes, for its schema.
func DocumentType() reflect.Type { return reflect.TypeFor[printed]() }

// Write lists the servers of a set by file, and below them what could not be used. A
// repository may contain such a file, so control characters are masked.
func (s Set) Write(w io.Writer) error {
	err := s.writeServers(w)
	if err != nil || len(s.faults) == 0 {
		return err
	}
	lines := []string{"", "Not all could be read:"}
	for _, fault := range s.FaultTexts() {
		lines = append(lines, "  "+human.Safe(fault))
	}
	_, err = fmt.Fprintln(w, strings.Join(lines, "\n"))
	return err
}

// FaultTexts says of each file or folder that was not used, as a whole or in part, why.
func (s Set) FaultTexts() []string {
	var texts []string
	for _, f := range s.faults {
		text := f.File + " is not used: " + f.Text
		switch {
		case f.Text == NoAnswer():
			text = f.File + " " + f.Text
		case slices.Contains(s.files, f.File):
			text = "a part of " + f.File + " is not used: " + f.Text
		}
		texts = append(texts, text)
	}
	return texts
}

func (s Set) writeServers(w io.Writer) error {
	servers := s.Servers()
	if len(servers) == 0 {
		_, err := fmt.Fprintln(w, nothing(os.Geteuid()))
		return err
	}
	slices.SortStableFunc(servers, func(a, b Server) int { return strings.Compare(a.File+a.Name, b.File+b.Name) })
	if _, err := fmt.Fprintf(w, "%s\n\n", summary(servers)); err != nil {
		return err
	}
	file := ""
	for i := range servers {
		l := servers[i].listed()
		if l.File != file {
			file = l.File
			fmt.Fprintf(w, "%s (%s)\n", human.Safe(file), human.Safe(l.Client))
		}
		what := strings.Join(append([]string{l.Command}, l.Args...), " ")
		if l.Command == "" {
			what = l.URL + l.Image
		}
		if _, err := fmt.Fprintf(w, "  %-24s %s\n", human.Safe(l.Name), human.Safe(what)); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(servers, isBare) {
		_, err := fmt.Fprintln(w, "\nreaperd wrap   starts each by reaperd exec, which ends it with its client")
		return err
	}
	return nil
}

// isBare reports a server that its client starts without reaperd exec.
func isBare(s Server) bool {
	l := s.listed()
	return l.Command != "" && filepath.Base(l.Command) != "reaperd"
}

// nothing says that no server was found, by a user who reads only his own files, or by root.
func nothing(uid int) string {
	whose := "of yours"
	if uid == 0 {
		whose = "of any user here"
	}
	return "No client " + whose + " is configured to start an MCP server."
}

// summary counts servers, the files that name them, and the clients: "3 servers in 2
// files, of claude-code and codex."
func summary(servers []Server) string {
	var files, clients []string
	for i := range servers {
		l := servers[i].listed()
		files, clients = append(files, l.File), append(clients, human.Safe(l.Client))
	}
	slices.Sort(files)
	slices.Sort(clients)
	files, clients = slices.Compact(files), slices.Compact(clients)
	return fmt.Sprintf("%s in %s, of %s.", human.Count(len(servers), "server"), human.Count(len(files), "file"), human.List(clients))
}

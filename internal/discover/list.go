package discover

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/redact"
)

// listed is a configured server as `reaperd discover` shows it, without secrets.
type listed struct {
	Name     string   `json:"name"`
	Client   string   `json:"client,omitempty"`
	Command  string   `json:"command,omitempty"`
	Args     []string `json:"args,omitempty"`
	URL      string   `json:"url,omitempty"`
	Disabled bool     `json:"disabled,omitempty"`
	File     string   `json:"file,omitempty"`
	Folder   string   `json:"folder,omitempty"` // only sessions there have it, although the file is elsewhere
}

func (s *Server) listed() listed {
	l := listed{Name: s.Name, Client: s.Client, URL: redact.Text(s.URL), Disabled: s.Disabled, File: s.File}
	if s.Folder != "" && !within(s.File, s.Folder) {
		l.Folder = s.Folder
	}
	if s.Command != "" {
		words := redact.Args(append([]string{s.Command}, s.Args...))
		l.Command, l.Args = words[0], words[1:]
		if len(s.Args) == 0 && strings.Contains(s.Command, " ") { // a whole line, or the path of a program
			l.Command = redact.Line(s.Command)
		}
	}
	return l
}

// Typed is a command line without secrets, as a person would type it.
func Typed(words []string) string { return human.Safe(human.Shell(redact.Args(words)...)) }

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

// FaultTexts says of each file or folder that was not used, as a whole or in part, why. A file that is
// malformed is named with the line of its first fault. Control characters are masked.
func (s Set) FaultTexts() []string {
	var texts []string
	for _, f := range s.faults {
		text := f.File + " is not used: " + f.Text
		switch {
		case f.Text == NoAnswer(), f.Text == leftOut:
			text = f.File + " " + f.Text
		case slices.Contains(s.files, f.File):
			text = "a part of " + f.File + " is not used: " + f.Text
		}
		texts = append(texts, human.Safe(text))
	}
	return texts
}

package world

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/inventory"
)

// File is a world in a file: what it is about, in sentences, then sections that begin with a line
// "-- NAME --". A section "look 10s" is a look at that time after noon.
type File struct {
	About    string
	Sections map[string]string
	Looks    []*inventory.Snapshot
}

// Parse reads a file.
func Parse(text string) (*File, error) {
	f := &File{Sections: map[string]string{}}
	reader := New()
	name, about, body := "", []string{}, []string{}
	end := func() error {
		section := strings.Join(body, "\n")
		body = nil
		after, isLook := strings.CutPrefix(name, "look ")
		if !isLook {
			f.Sections[name] = section
			return nil
		}
		at, err := time.ParseDuration(after)
		if err != nil {
			return err
		}
		look, err := reader.Look(at, section)
		f.Looks = append(f.Looks, look)
		return err
	}
	for _, line := range strings.Split(text, "\n") {
		next, isHeading := heading(line)
		switch {
		case !isHeading && name == "":
			about = append(about, line)
		case !isHeading:
			body = append(body, line)
		default:
			if name != "" {
				if err := end(); err != nil {
					return nil, fmt.Errorf("section %s: %w", name, err)
				}
			}
			name = next
		}
	}
	f.About = strings.TrimSpace(strings.Join(about, "\n"))
	return f, end()
}

func heading(line string) (name string, is bool) {
	name, begins := strings.CutPrefix(line, "-- ")
	name, ends := strings.CutSuffix(name, " --")
	return name, begins && ends
}

// Settings are the lines of the section "setting", as words.
func (f *File) Settings() (settings [][]string) {
	for _, line := range strings.Split(f.Sections["setting"], "\n") {
		settings = append(settings, strings.Fields(line))
	}
	return slices.DeleteFunc(settings, func(words []string) bool { return len(words) == 0 })
}

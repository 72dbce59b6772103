package pins

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/advice"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/neighbours"
	"github.com/reaperd/reaperd/internal/report"
	"github.com/reaperd/reaperd/internal/state"
)

// List is the pins, as they are listed.
type List []line

// line is one pin in the list.
type line struct {
	state.Pin
	// Running reports whether the pinned container, or any process of the pinned tree, still
	// runs; nil if that could not be read.
	Running *bool `json:"running,omitempty"`

	gone      bool // nothing of it is there any more
	ownerGone bool // its owner has ended since it was pinned
}

// Read reads the pins, which of the pinned things still run, and as root which pins of users hold too.
func Read(ctx context.Context, dir state.Dir, log *slog.Logger) (List, []UserPins, error) {
	now, err := processesNow(ctx)
	if err != nil {
		log.Warn("read processes", "err", err)
	}
	pins, err := dir.Pins(now.boot, time.Now())
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, nil, advice.Failed("", "%w", err)
	case err != nil:
		return nil, nil, advice.Failed("mend or remove the file; until then nothing is reaped", "%w", err)
	}
	users := neighbours.Pins(ctx, now.boot, time.Now())
	ofUsers := func(user neighbours.Pinned) bool { return slices.ContainsFunc(user.Pins, hasContainer) }
	if slices.ContainsFunc(pins, hasContainer) || slices.ContainsFunc(users, ofUsers) {
		now.readContainers(ctx)
	}
	list := List{}
	for _, pin := range pins {
		list = append(list, now.line(pin))
	}
	return list, now.ofUsers(users, pins), nil
}

// Count counts the pins that hold, and those that hold no longer: what they pinned has ended.
func (l List) Count() (hold, over int) {
	over = len(l.gone())
	return len(l) - over, over
}

// JSON is the list as one JSON object, with the pins of users that hold too.
func (l List) JSON(users []UserPins) ([]byte, error) {
	return json.Marshal(document{Version: 1, Pins: l, Users: users})
}

type document struct {
	Version int        `json:"version"`
	Pins    []line     `json:"pins"`
	Users   []UserPins `json:"users,omitempty"`
}

// DocumentType is the type that [List.JSON] encodes, for its schema.
func DocumentType() reflect.Type { return reflect.TypeFor[document]() }

// Write writes the list for a person: a table or, where a line of it would be wider than
// width, a paragraph for each pin.
func (l List) Write(w io.Writer, width int) error {
	rows := [][]string{{"NAME", "TARGET", "OF", "HOLDS", "PINNED", "REASON"}}
	for i := range l {
		pin := &l[i].Pin
		rows = append(rows, []string{
			human.Safe(pin.Name), Handle(pin), cmp.Or(human.Safe(l[i].owner()), "–"), l[i].holds(), pinnedBy(pin), human.Line(pin.Reason),
		})
	}
	lines := report.Columns(rows)
	if slices.ContainsFunc(lines, func(line string) bool { return human.Width(line) > width }) {
		lines = paragraphs(rows, width)
	}
	if gone := l.gone(); len(gone) > 0 {
		lines = append(lines, "", "reaperd unpin "+strings.Join(gone[:min(len(gone), mostNamed)], " ")+"   removes what holds no longer")
	}
	_, err := fmt.Fprintln(w, strings.Join(lines, "\n"))
	return err
}

// gone are the words for the pins that hold no longer.
func (l List) gone() (handles []string) {
	for i := range l {
		if l[i].gone {
			handles = append(handles, human.Shell(Handle(&l[i].Pin)))
		}
	}
	return handles
}

// paragraphs writes each row of a table as its name and target, and below them its other
// cells with their headings, broken at words. It leaves out empty cells.
func paragraphs(rows [][]string, width int) []string {
	const named = 2
	var lines []string
	for _, row := range rows[1:] {
		lines = append(lines, report.Hang("", strings.Join(row[:named], " "), width))
		for i, cell := range row[named:] {
			if cell != "" && cell != "–" {
				heading := strings.ToLower(rows[0][named+i])
				lines = append(lines, report.Hang("   "+human.Left(heading, 8), cell, width))
			}
		}
	}
	return lines
}

// owner is the owner for people, and that it has ended.
func (l *line) owner() string {
	if l.ownerGone {
		return state.Gone(l.Owner)
	}
	return l.Owner
}

// holds tells how long the pin holds: a pin is nothing any more once what it pinned has ended.
func (l *line) holds() string {
	switch {
	case l.gone:
		return "no longer: it has ended"
	case l.Until.IsZero():
		return "until unpinned"
	}
	return "until " + human.Moment(l.Until.Local())
}

func pinnedBy(p *state.Pin) string {
	text := human.Moment(p.At.Local())
	if p.By != os.Geteuid() {
		text += " by uid " + strconv.Itoa(p.By)
	}
	return text
}

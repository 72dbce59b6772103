package logline

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/reaperd/reaperd/internal/human"
)

// Options tell how lines are written.
type Options struct {
	Level    slog.Leveler   // the least level that is written
	Width    func() int     // returns that of the terminal
	Location *time.Location // of the times shown
	Times    bool           // each record begins with its time
	Home     human.Home     // the reader's, which is written as "~"
	// Replace changes an attribute. It drops it by returning the zero Attr.
	Replace func(groups []string, attr slog.Attr) slog.Attr
}

// Handler is a [slog.Handler] that writes lines for people.
type Handler struct {
	options Options
	out     *output
	attrs   []slog.Attr // those of every record
	groups  []string
}

// New returns a handler that writes to out.
func New(out io.Writer, options Options) *Handler {
	return &Handler{options: options, out: &output{to: out}}
}

// Enabled reports whether records of a level are written.
func (h *Handler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= h.options.Level.Level()
}

// WithAttrs returns a handler with further attributes in every record.
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	with := *h
	with.attrs = slices.Concat(h.attrs, h.replaced(attrs))
	return &with
}

// WithGroup returns a handler that puts the name of a group before the keys that follow.
func (h *Handler) WithGroup(name string) slog.Handler {
	with := *h
	with.groups = append(slices.Clone(h.groups), name)
	return &with
}

// Handle writes a record.
func (h *Handler) Handle(_ context.Context, r slog.Record) error {
	var attrs []slog.Attr
	r.Attrs(func(attr slog.Attr) bool { attrs = append(attrs, attr); return true })
	at := r.Time.In(h.options.Location)
	f := &facts{all: slices.Concat(h.attrs, h.replaced(attrs)), at: at}
	paragraphs := append([]string{tell(r.Message, f)}, f.below...)
	for i, paragraph := range paragraphs {
		paragraphs[i] = human.Line(h.options.Home.Command(strings.Split(paragraph, " "), ""))
	}
	return h.write(at, leadOf(r.Level), paragraphs)
}

// replaced returns the attributes that Replace leaves, with groups before their keys.
func (h *Handler) replaced(attrs []slog.Attr) []slog.Attr {
	var all []slog.Attr
	for _, attr := range attrs {
		attr.Value = attr.Value.Resolve()
		if attr = h.options.Replace(h.groups, attr); attr.Equal(slog.Attr{}) {
			continue
		}
		attr.Key = strings.Join(append(slices.Clone(h.groups), attr.Key), ".")
		all = append(all, attr)
	}
	return all
}

// leadOf returns the word that a line begins with: "error: ", "warning: " or "debug: ",
// and nothing at level info.
func leadOf(level slog.Level) string {
	switch {
	case level >= slog.LevelError:
		return "error: "
	case level >= slog.LevelWarn:
		return "warning: "
	case level < slog.LevelInfo:
		return "debug: "
	}
	return ""
}

// output is what handlers of one log share.
type output struct {
	mu  sync.Mutex
	to  io.Writer
	day string // of the last line; empty before the first
}

// write writes the paragraphs of one record.
func (h *Handler) write(at time.Time, lead string, paragraphs []string) error {
	h.out.mu.Lock()
	defer h.out.mu.Unlock()
	width := h.options.Width()
	if !h.options.Times {
		return h.out.lines(hang(lead, paragraphs, width))
	}
	paragraphs[0] = lead + paragraphs[0]
	lines := hang(at.Format(time.TimeOnly)+"  ", paragraphs, width)
	day := at.Format(time.DateOnly)
	if h.out.day != "" && h.out.day != day {
		lines = slices.Insert(lines, 0, day)
	}
	h.out.day = day
	return h.out.lines(lines)
}

// hang wraps each paragraph behind lead or its indent.
func hang(lead string, paragraphs []string, width int) []string {
	var lines []string
	for _, paragraph := range paragraphs {
		lines = append(lines, human.Hang(lead, paragraph, width)...)
		lead = strings.Repeat(" ", len(lead))
	}
	return lines
}

func (o *output) lines(lines []string) error {
	_, err := fmt.Fprintln(o.to, strings.Join(lines, "\n"))
	return err
}

// Escaped writes records in JSON, each in one piece, without invisible characters.
type Escaped struct{ io.Writer }

func (e Escaped) Write(record []byte) (int, error) {
	if _, err := e.Writer.Write(human.EscapeJSON(record)); err != nil {
		return 0, err
	}
	return len(record), nil
}

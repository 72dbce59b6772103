package logline

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/human"
)

// facts are the attributes of a record that its text does not have yet.
type facts struct {
	all []slog.Attr
	at  time.Time // of the record

	below []string // what follows the text, each on lines of its own
}

// take returns the text of the first of some keys that is there, and removes it. Empty
// means that none of them is there.
func (f *facts) take(keys ...string) string {
	for _, key := range keys {
		i := slices.IndexFunc(f.all, func(attr slog.Attr) bool { return attr.Key == key })
		if i < 0 {
			continue
		}
		text := f.text(f.all[i])
		f.all = slices.Delete(slices.Clone(f.all), i, i+1)
		if text != "" {
			return text
		}
	}
	return ""
}

// takeEach puts each text of a list below the record's own, and removes it.
func (f *facts) takeEach(key string) {
	for _, attr := range f.all {
		if list, is := attr.Value.Any().([]string); is && attr.Key == key {
			f.below = append(f.below, list...)
		}
	}
	f.drop(key)
}

// drop removes attributes that no person needs.
func (f *facts) drop(keys ...string) {
	for _, key := range keys {
		f.take(key)
	}
}

// rest lists what is left, each with its key.
func (f *facts) rest() string {
	var parts []string
	for _, attr := range f.all {
		if text := f.text(attr); text != "" {
			parts = append(parts, strings.ReplaceAll(strings.TrimSuffix(attr.Key, bytesSuffix), "_", " ")+" "+text)
		}
	}
	return strings.Join(parts, ", ")
}

// bytesSuffix ends the keys of sizes.
const bytesSuffix = "_bytes"

// text returns a value for people; empty if it says nothing.
func (f *facts) text(attr slog.Attr) string {
	switch value := attr.Value.Any().(type) {
	case nil:
		return ""
	case time.Time:
		return f.moment(value)
	case time.Duration:
		return human.Span(value)
	case uint64:
		if strings.HasSuffix(attr.Key, bytesSuffix) {
			return sizeText(value)
		}
	case []string:
		return strings.Join(value, ", ")
	}
	return attr.Value.String()
}

func sizeText(bytes uint64) string {
	if bytes == 0 {
		return ""
	}
	return human.Bytes(bytes)
}

// moment returns a time, without the date if that is the record's own; empty for the zero
// time.
func (f *facts) moment(at time.Time) string {
	local := at.In(f.at.Location())
	switch {
	case at.IsZero():
		return ""
	case local.Format(time.DateOnly) == f.at.Format(time.DateOnly):
		return local.Format(time.TimeOnly)
	}
	return human.Moment(local)
}

// joined joins the texts that are not empty. Each is made of a lead and a value, and is
// empty if the value is.
func joined(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), separator)
}

// with returns a value between two texts; empty if the value is.
func with(before, value, after string) string {
	if value == "" {
		return ""
	}
	return fmt.Sprint(before, value, after)
}

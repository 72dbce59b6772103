package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/human"
)

// OneOf reads the value of a flag that is one of some words.
func OneOf(into *string, words ...string) func(string) error {
	return func(text string) error {
		if !slices.Contains(words, text) {
			last := len(words) - 1
			return fmt.Errorf("%q: want %s or %s", text, strings.Join(words[:last], ", "), words[last])
		}
		*into = text
		return nil
	}
}

// Wait reads a duration that may be 0.
func Wait(into *time.Duration) func(string) error {
	return func(text string) error {
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return fmt.Errorf("%q: want 0 or a time with its unit, such as 30s or 2m", text)
		}
		*into = d
		return nil
	}
}

// Span reads a duration above zero, of days and weeks too.
func Span(into *time.Duration) func(string) error {
	return func(text string) error {
		d, err := human.ParseDuration(text)
		if err != nil || d <= 0 {
			return fmt.Errorf("%q: want a time above 0 and at most 36500d, such as 30s, 8h or 7d", text)
		}
		*into = d
		return nil
	}
}

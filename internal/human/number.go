package human

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Bytes writes a size in decimal units, with one decimal below ten: "999 B", "1.0 kB",
// "49 MB".
func Bytes(n uint64) string {
	if n < 1000 {
		return strconv.FormatUint(n, 10) + " B"
	}
	const letters = "BkMGTPE"
	value, power := float64(n), 0
	for value >= 999.5 && power < len(letters)-1 {
		value /= 1000
		power++
	}
	if value < 9.95 {
		return fmt.Sprintf("%.1f %cB", value, letters[power])
	}
	return fmt.Sprintf("%.0f %cB", value, letters[power])
}

// Number writes a count with separated thousands: "1,475".
func Number(n int) string {
	digits := strconv.Itoa(n)
	first := 0
	if n < 0 {
		first = 1
	}
	for i := len(digits) - 3; i > first; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Count writes a number with its noun: "1 server", "0 servers", "2 children".
func Count(n int, noun string) string { return Number(n) + " " + Plural(n, noun) }

// Servers counts servers, and containers with them: "3 servers and 1 container", "2 containers";
// "no servers" if there is neither.
func Servers(servers, containers int) string {
	switch {
	case servers == 0 && containers == 0:
		return "no servers"
	case containers == 0:
		return Count(servers, "server")
	case servers == 0:
		return Count(containers, "container")
	}
	return Count(servers, "server") + " and " + Count(containers, "container")
}

// Plural returns the form of a noun for n things. Of several words it changes the last
// one.
func Plural(n int, noun string) string {
	stem, isY := strings.CutSuffix(noun, "y")
	switch {
	case n == 1:
		return noun
	case strings.HasSuffix(noun, "child"):
		return noun + "ren"
	case isY && !endsInAny(stem, "a", "e", "o", "u"):
		return stem + "ies"
	case endsInAny(noun, "s", "x", "ch", "sh"):
		return noun + "es"
	}
	return noun + "s"
}

func endsInAny(word string, endings ...string) bool {
	for _, ending := range endings {
		if strings.HasSuffix(word, ending) {
			return true
		}
	}
	return false
}

// Are returns "is" for one and "are" for any other number.
func Are(n int) string { return Verb(n, "is", "are") }

// Verb returns the form of a verb for n things.
func Verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Them names n of all things that were named before: "it", "them" or "2 of them".
func Them(n, all int) string {
	switch {
	case n < all:
		return Number(n) + " of them"
	case n > 1:
		return "them"
	}
	return "it"
}

// Percent writes a share of one core: "4.1%", "4,312%".
func Percent(percent float64) string {
	if percent >= 999.95 {
		return Number(int(math.Round(percent))) + "%"
	}
	return strconv.FormatFloat(max(0, percent), 'f', 1, 64) + "%"
}

// List joins words as in a sentence: "a, b and c".
func List(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

package human

import "strings"

// Nearest is the known word that was probably meant by another: the one that differs from it
// by the fewest typing mistakes, at most two (one in a word of three or four letters, none in a
// shorter one), or the one whose first part it is, up to a "_". Another number is no mistake: gh1
// and gh2 are two things. It is "" if there is none; case does not matter.
func Nearest(word string, known []string) string {
	word = strings.ToLower(word)
	best, least := "", mostSlips(word)
	for _, candidate := range known {
		if digits(candidate) != digits(word) {
			continue
		}
		if slips := distance(word, strings.ToLower(candidate)); slips < least || slips == least && best == "" {
			best, least = candidate, slips
		}
	}
	if best != "" {
		return best
	}
	for _, candidate := range known {
		if strings.HasPrefix(strings.ToLower(candidate), word+"_") {
			return candidate
		}
	}
	return ""
}

// mostSlips is how many mistakes a word may have and still stand for another.
func mostSlips(word string) int {
	if len(word) < 3 {
		return 0
	}
	return min(2, (len(word)+1)/3)
}

func digits(word string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, word)
}

// distance counts insertions, deletions, replacements and swaps of neighbours.
func distance(a, b string) int {
	const longest = 40
	if len(a) > longest || len(b) > longest {
		return longest
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

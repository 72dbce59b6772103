package human

import "strings"

// Nearest is the known word that was probably meant by another: the one that differs from it
// by the fewest typing mistakes, at most two (one in a word of up to four letters), or the
// one whose first part it is, up to a "_". It is "" if there is none; case does not matter.
func Nearest(word string, known []string) string {
	word = strings.ToLower(word)
	best, least := "", min(2, (len(word)+1)/3)
	for _, candidate := range known {
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

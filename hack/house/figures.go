package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// figures are all figures of a house in the order they are printed.
func (h house) figures() []figure {
	total := 0
	for _, lines := range h.lines {
		total += lines
	}
	all := []figure{
		{"code lines", fmt.Sprint(total)},
		{"comment lines per 100 of code", fmt.Sprintf("%.0f", 100*float64(h.comments)/float64(total))},
		{"functions", fmt.Sprint(len(h.functions))},
		{"  median, 90th percentile, longest (lines)", fmt.Sprintf("%d, %d, %d", h.percentile(50), h.percentile(90), h.percentile(100))},
		{"  over 40 lines", fmt.Sprint(h.over(40))},
		{"files over 400 lines", fmt.Sprint(len(h.long))},
		{"exported names in internal/", fmt.Sprint(h.exported)},
		{"  used by no other package", fmt.Sprint(len(h.unused))},
		{"lines in repeated blocks", fmt.Sprint(h.duplicated)},
		{"modules in the binary", fmt.Sprint(h.modules)},
		{"packages in the binary (not Go's own)", fmt.Sprint(h.packages)},
	}
	if h.binary > 0 {
		all = append(all, figure{"binary, linux/amd64, stripped (MB)", fmt.Sprintf("%.2f", float64(h.binary)/1e6)},
			figure{"  without top (tag notop)", fmt.Sprintf("%.2f", float64(h.lean)/1e6)})
	}
	for _, folder := range slices.Sorted(maps.Keys(h.lines)) {
		all = append(all, figure{"code lines of " + folder, fmt.Sprint(h.lines[folder])})
	}
	for _, file := range h.long {
		name, lines, _ := strings.Cut(file, " ")
		all = append(all, figure{"over 400 lines: " + name, lines})
	}
	return all
}

// percentile is the length that p of 100 functions do not exceed.
func (h house) percentile(p int) int {
	if len(h.functions) == 0 {
		return 0
	}
	return h.functions[min(len(h.functions)-1, len(h.functions)*p/100)]
}

func (h house) over(limit int) int {
	at, _ := slices.BinarySearch(h.functions, limit+1)
	return len(h.functions) - at
}

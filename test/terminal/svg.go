//go:build linux

package terminal

import (
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v3/color"
	"github.com/gdamore/tcell/v3/vt"
)

// What a picture measures, in pixels.
const (
	cellWidth  = 8.4
	cellHeight = 18
	margin     = 14
)

// The colours of a picture: ground, text, and the terminal's eight.
const (
	ground = "#1b1f24"
	ink    = "#d8dee4"
)

func palette() map[color.Color]string {
	return map[color.Color]string{
		color.PaletteColor(1): "#ff8e84", color.PaletteColor(2): "#7ee08f", color.PaletteColor(3): "#f0c36d",
		color.PaletteColor(4): "#8cc2ff", color.PaletteColor(5): "#d8a8ff", color.PaletteColor(6): "#7fdbe0",
	}
}

// SVG is a picture of the screen, as text: it scales, and what is on it can be found
// and read aloud. title says what it shows.
func (t *Terminal) SVG(title string) string {
	lines := t.Cells()
	for len(lines) > 1 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	width := float64(t.size.Width)*cellWidth + 2*margin
	height := len(lines)*cellHeight + 2*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" viewBox="0 0 %.0f %d" role="img">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, "<title>%s</title>\n", escaped(title))
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", ground)
	fmt.Fprintf(&b, `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" fill="%s">`+"\n", ink)
	for y, line := range lines {
		x := 0
		for _, run := range runs(line) {
			run.write(&b, x, y)
			x += run.cells
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

func blank(line []vt.Cell) bool {
	for _, cell := range line {
		if strings.TrimSpace(cell.C) != "" || cell.S.Attr()&vt.Reverse != 0 {
			return false
		}
	}
	return true
}

// run are cells of one style that stand beside one another.
type run struct {
	text  string
	cells int
	style vt.Style
}

func runs(line []vt.Cell) []run {
	var all []run
	for _, cell := range line {
		if n := len(all); n == 0 || !all[n-1].style.Equal(cell.S) {
			all = append(all, run{style: cell.S})
		}
		last := &all[len(all)-1]
		last.text += cell.C
		last.cells += max(cell.W, 1)
	}
	return all
}

// write writes a run at its place. Its width is given, so that columns stand below
// one another in whatever font there is.
func (r run) write(b *strings.Builder, x, y int) {
	left, top, width := margin+float64(x)*cellWidth, margin+y*cellHeight, float64(r.cells)*cellWidth
	fill, style := ink, ""
	if colour, known := palette()[r.style.Fg()]; known {
		fill = colour
	}
	if r.style.Attr()&vt.Reverse != 0 {
		fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", left, top, width, cellHeight, fill)
		fill = ground
	}
	if r.style.Attr()&vt.Dim != 0 {
		style += ` opacity="0.6"`
	}
	if r.style.Attr()&vt.Bold != 0 {
		style += ` font-weight="700"`
	}
	text := strings.TrimRight(r.text, " ")
	if text == "" {
		return
	}
	width -= float64(len(r.text)-len(text)) * cellWidth
	text = strings.ReplaceAll(text, " ", "\u00a0") // browsers make one of several spaces
	fmt.Fprintf(b, `<text x="%.1f" y="%d" textLength="%.1f" fill="%s"%s>%s</text>`+"\n", left, top+cellHeight-5, width, fill, style, escaped(text))
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a builder takes everything
	return b.String()
}

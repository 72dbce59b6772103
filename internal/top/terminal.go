package top

import (
	"fmt"
	"sync"

	"github.com/gdamore/tcell/v3"
	"github.com/gdamore/tcell/v3/color"
)

// colors is the number of colours in use: the eight that the terminal's owner has chosen.
const colors = 8

// Terminal is the terminal of this process, while the program has it.
type Terminal struct {
	screen   tcell.Screen
	color    bool
	messages chan Message
	closed   chan struct{}
	listens  sync.WaitGroup
}

// Open takes the terminal over: it shows the alternate screen and reads single keys. Call
// Close after use.
func Open(color bool) (*Terminal, error) {
	count := 0
	if color {
		count = colors
	}
	screen, err := tcell.NewTerminfoScreen(tcell.OptNegotiation(false), tcell.OptSanitizeContent(true), tcell.OptColors(count))
	if err == nil {
		err = screen.Init()
	}
	if err != nil {
		return nil, fmt.Errorf("open the terminal: %w", err)
	}
	screen.EnablePaste()
	t := &Terminal{screen: screen, color: color, messages: make(chan Message), closed: make(chan struct{})}
	t.listens.Go(t.listen)
	return t, nil
}

// Close restores the terminal.
func (t *Terminal) Close() {
	close(t.closed)
	t.screen.Fini()
	t.listens.Wait()
}

// Size is the size of the terminal in cells.
func (t *Terminal) Size() (width, height int) { return t.screen.Size() }

// Messages delivers keys, pasted text and sizes.
func (t *Terminal) Messages() <-chan Message { return t.messages }

// Suspend gives the terminal back until Resume.
func (t *Terminal) Suspend() error { return t.screen.Suspend() }

// Resume takes the terminal again.
func (t *Terminal) Resume() error { return t.screen.Resume() }

// Draw shows a frame. whole also draws cells that should be on the terminal already.
func (t *Terminal) Draw(frame Frame, whole bool) {
	t.screen.Clear()
	for y, line := range frame.Lines {
		x := 0
		for _, span := range line {
			x = t.put(x, y, span)
		}
	}
	t.screen.HideCursor()
	if frame.Cursor.Shown {
		t.screen.ShowCursor(frame.Cursor.X, frame.Cursor.Y)
	}
	if whole {
		t.screen.Sync()
		return
	}
	t.screen.Show()
}

// put writes a span and returns the column behind it.
func (t *Terminal) put(x, y int, span Span) int {
	style := styleOf(span.Style, t.color)
	for text := span.Text; text != ""; {
		rest, width := t.screen.Put(x, y, text, style)
		if rest == text {
			break
		}
		text, x = rest, x+width
	}
	return x
}

// styleOf is a style in the terminal's terms. Without colors it names none: the library would
// reverse the cells, and the row under the cursor is known by that.
func styleOf(style Style, colored bool) tcell.Style {
	cells := tcell.StyleDefault.Bold(style.Bold).Reverse(style.Reverse)
	if !colored && style.Tone != Aside {
		return cells
	}
	switch style.Tone {
	case Well:
		return cells.Foreground(color.Green)
	case Waits:
		return cells.Foreground(color.Olive) // the terminal's yellow
	case Goes:
		return cells.Foreground(color.Maroon) // and red
	case Aside:
		return cells.Dim(true)
	}
	return cells
}

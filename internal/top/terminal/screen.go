package terminal

import (
	"fmt"
	"sync"

	"github.com/gdamore/tcell/v3"

	"github.com/reaperd/reaperd/internal/top"
)

// colors is how many colours are used: the terminal's own eight, which its owner
// chose.
const colors = 8

// Screen is the terminal of this process, taken over.
type Screen struct {
	screen   tcell.Screen
	messages chan top.Message
	closed   chan struct{}
	listens  sync.WaitGroup
}

// Open takes the terminal over: the alternate screen, keys one by one. Close it
// after use.
func Open(color bool) (*Screen, error) {
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
	s := &Screen{screen: screen, messages: make(chan top.Message), closed: make(chan struct{})}
	s.listens.Go(s.listen)
	return s, nil
}

// Close gives the terminal back as it was.
func (s *Screen) Close() {
	close(s.closed)
	s.screen.Fini()
	s.listens.Wait()
}

// Size is the size of the terminal in cells.
func (s *Screen) Size() (width, height int) { return s.screen.Size() }

// Messages are what the terminal says: keys, what is pasted, sizes.
func (s *Screen) Messages() <-chan top.Message { return s.messages }

// Suspend gives the terminal back until Resume.
func (s *Screen) Suspend() error { return s.screen.Suspend() }

// Resume takes the terminal again.
func (s *Screen) Resume() error { return s.screen.Resume() }

// Draw shows a frame; whole draws also what the terminal should show already.
func (s *Screen) Draw(frame top.Frame, whole bool) {
	s.screen.Clear()
	for y, line := range frame.Lines {
		x := 0
		for _, span := range line {
			x = s.put(x, y, span)
		}
	}
	s.screen.HideCursor()
	if frame.Cursor.Shown {
		s.screen.ShowCursor(frame.Cursor.X, frame.Cursor.Y)
	}
	if whole {
		s.screen.Sync()
		return
	}
	s.screen.Show()
}

// put writes a span and returns where the next one begins.
func (s *Screen) put(x, y int, span top.Span) int {
	style := styleOf(span.Style)
	for text := span.Text; text != ""; {
		rest, width := s.screen.Put(x, y, text, style)
		if rest == text {
			break
		}
		text, x = rest, x+width
	}
	return x
}

func styleOf(style top.Style) tcell.Style {
	cells := tcell.StyleDefault.Bold(style.Bold).Reverse(style.Reverse)
	switch style.Tone {
	case top.Lives:
		return cells.Foreground(tcell.ColorGreen)
	case top.Waits:
		return cells.Foreground(tcell.ColorOlive) // the terminal's yellow
	case top.Goes:
		return cells.Foreground(tcell.ColorMaroon) // and red
	case top.Aside:
		return cells.Dim(true)
	case top.Plain:
	}
	return cells
}

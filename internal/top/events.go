package top

import (
	"strings"

	"github.com/gdamore/tcell/v3"
)

// listen passes on the events of the terminal until it is closed.
func (t *Terminal) listen() {
	var pasted *strings.Builder // nil: no paste is under way
	for event := range t.screen.EventQ() {
		switch event := event.(type) {
		case *tcell.EventPaste:
			if event.Start() {
				pasted = &strings.Builder{}
			} else if pasted != nil {
				t.send(Pasted(pasted.String()))
				pasted = nil
			}
		case *tcell.EventKey:
			if pasted != nil {
				pasted.WriteString(event.Str())
				continue
			}
			for _, key := range keysOf(event) {
				t.send(key)
			}
		case *tcell.EventResize:
			width, height := event.Size()
			t.send(Resized{Width: width, Height: height})
		case *tcell.EventError:
			t.send(lost{event})
		}
	}
}

func (t *Terminal) send(message Message) {
	select {
	case t.messages <- message:
	case <-t.closed:
	}
}

// keysOf are the keys of an event. A terminal sends Alt with a key as Esc and that key, and so
// does a person who types Esc and the key at once: top knows no Alt, and takes both.
func keysOf(event *tcell.EventKey) (keys []Key) {
	if event.Modifiers()&tcell.ModAlt != 0 {
		keys = append(keys, "esc")
		event = tcell.NewEventKey(event.Key(), event.Str(), event.Modifiers()&^tcell.ModAlt)
	}
	if key, known := keyOf(event); known {
		keys = append(keys, key)
	}
	return keys
}

func keyOf(event *tcell.EventKey) (Key, bool) {
	if event.Key() == tcell.KeyRune && event.Modifiers()&^tcell.ModShift == 0 {
		return Key(event.Str()), true
	}
	name, known := names()[event.Key()]
	return name, known
}

func names() map[tcell.Key]Key {
	return map[tcell.Key]Key{
		tcell.KeyUp: "up", tcell.KeyDown: "down", tcell.KeyLeft: "left", tcell.KeyRight: "right",
		tcell.KeyPgUp: "pgup", tcell.KeyPgDn: "pgdn", tcell.KeyHome: "home", tcell.KeyEnd: "end",
		tcell.KeyEnter: "enter", tcell.KeyEsc: "esc", tcell.KeyBackspace: "backspace",
		tcell.KeyCtrlC: "ctrl-c", tcell.KeyCtrlL: "ctrl-l", tcell.KeyCtrlU: "ctrl-u", tcell.KeyCtrlZ: "ctrl-z",
	}
}

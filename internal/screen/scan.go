package screen

import (
	"cmp"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
)

// Scan writes the tree.
func Scan(w io.Writer, a *account.Account, options Options) error {
	unfold := options.Wide || len(options.Names) > 0
	if len(options.Names) > 0 {
		a = a.Narrow(options.Names)
	}
	p := options.newPage(a.TakenAt)
	p.say("", p.text(a.Premise))
	p.say("", p.text(a.Headline))
	p.commands(a.Commands())
	p.gap()
	p.sections(a, a.Sections, folds{unfold: unfold, most: 10, more: "reaperd scan -o wide"})
	p.notes(a.Notes)
	return p.write(w)
}

// folds say how much of the tree is shown.
type folds struct {
	unfold bool   // each thing by itself
	most   int    // rows of a section
	more   string // the command that shows the others
}

// mostNamed is how many leaked rows at the most name their things.
const mostNamed = 7

// sections writes the rows of some sections. The first heading also names the columns.
func (p *page) sections(a *account.Account, sections []account.Section, f folds) {
	things, columns := a.ByID(), [2]string{"servers", "memory"}
	for _, section := range sections {
		rows := section.Rows
		if section.Fate == account.InUse && !f.unfold { // not a session that has nothing
			rows = slices.DeleteFunc(slices.Clone(rows), func(r account.Row) bool { return len(r.Things) == 0 })
		}
		if len(rows) == 0 {
			continue
		}
		tone := bold
		if section.Fate == account.Leaked {
			tone = yellow
		}
		p.line(tone, p.beside(strings.ToUpper(string(section.Fate)), columns[0], columns[1]))
		columns = [2]string{}
		p.rows(a, things, rows, section.Fate == account.Leaked && len(rows) <= mostNamed, f)
	}
}

// rows writes rows, and counts those that are too many.
func (p *page) rows(a *account.Account, things map[string]*account.Thing, rows []account.Row, names bool, f folds) {
	rest := rows[len(rows):]
	if len(rows) > f.most && !f.unfold {
		rows, rest = rows[:f.most-1], rows[f.most-1:]
	}
	layout := p.layoutOf(rows)
	for i := range rows {
		p.row(layout, &rows[i])
		switch {
		case f.unfold:
			p.things(a, things, &rows[i])
		case names:
			p.members(things, &rows[i])
		}
	}
	if len(rest) > 0 {
		more := account.Row{Title: "and " + human.Number(len(rest)) + " more", State: account.Words(f.more)}
		for _, row := range rest {
			more.Servers, more.MemoryBytes = more.Servers+row.Servers, more.MemoryBytes+row.MemoryBytes
		}
		p.row(layout, &more)
	}
}

// The widths of the columns to the right, and the greatest of those to the left.
const (
	serverCells = 9
	memoryCells = 10
	mostTitle   = 30
	mostPlace   = 30
)

// beside writes a text with two columns to its right.
func (p *page) beside(text, servers, memory string) string {
	room := p.width - serverCells - memoryCells
	return human.Left(human.Truncate(text, room, p.cut()), room) + human.Right(servers, serverCells) + human.Right(memory, memoryCells)
}

// layout are the widths of the columns of a section; zero is none.
type layout struct{ title, place int }

func (p *page) layoutOf(rows []account.Row) (l layout) {
	for i := range rows {
		l.title = max(l.title, min(mostTitle, human.Width(human.Safe(rows[i].Title))))
		l.place = max(l.place, min(mostPlace, human.Width(p.place(&rows[i]))))
	}
	return l
}

func (p *page) place(r *account.Row) string {
	return human.Safe(p.options.Home.Short(r.Place))
}

// row writes a row in one line where there is room, else its state below its title.
func (p *page) row(l layout, r *account.Row) {
	title, place, state := human.Safe(r.Title), p.place(r), p.text(r.State)
	servers, memory := "", ""
	if r.Servers > 0 {
		servers = human.Number(r.Servers)
	}
	if r.MemoryBytes > 0 {
		memory = human.Bytes(r.MemoryBytes)
	}
	one := human.Left(title, l.title)
	if l.place > 0 {
		one += "  " + human.Left(place, l.place)
	}
	if whole := one + "  " + state; human.Width(strings.TrimRight(whole, " ")) <= p.width-serverCells-memoryCells {
		p.line(plain, p.beside(whole, servers, memory))
		return
	}
	if place != "" && human.Width(title+"  "+place) <= p.width-serverCells-memoryCells {
		title, place = human.Left(title, min(l.title, p.width-serverCells-memoryCells-2-human.Width(place)))+"  "+place, ""
	}
	p.line(plain, p.beside(title, servers, memory))
	p.say("  ", strings.Join(slices.DeleteFunc([]string{place, state}, func(s string) bool { return s == "" }), " · "))
}

// members names the things of a row in one line, and what of them stays open.
func (p *page) members(things map[string]*account.Thing, r *account.Row) {
	names := named(things, r)
	if len(names) == 0 || len(names) == 1 && things[r.Things[0]].Called() == r.Title || strings.HasPrefix(r.Title, names[0]) {
		return
	}
	text := ""
	for i, name := range names {
		rest := ""
		if more := len(names) - i - 1; more > 0 {
			rest = " +" + human.Number(more)
		}
		next := strings.TrimPrefix(text+" · "+human.Safe(name), " · ")
		if i > 0 && human.Width("  "+next+rest) > p.width {
			text += " +" + human.Number(len(names)-i)
			break
		}
		text = next
	}
	p.line(dim, "  "+text)
	for _, id := range r.Things {
		p.say("  ", things[id].Leaves)
	}
}

// named names what a person counts in a row, alike ones together: "context7 318", "fetch × 3".
func named(things map[string]*account.Thing, r *account.Row) (names []string) {
	alike := map[string]int{}
	for _, id := range r.Things {
		if t := things[id]; t.Counts() {
			alike[t.Name]++
		}
	}
	for _, id := range r.Things {
		switch t := things[id]; {
		case !t.Counts() || alike[t.Name] == 0:
		case alike[t.Name] == 1:
			names = append(names, t.Called())
		default:
			names = append(names, t.Name+" × "+human.Number(alike[t.Name]))
			alike[t.Name] = 0
		}
	}
	return names
}

// things writes each thing of a row by itself.
func (p *page) things(a *account.Account, things map[string]*account.Thing, r *account.Row) {
	name, state := 0, 0
	for _, id := range r.Things {
		name = max(name, human.Width(human.Safe(things[id].Called())))
		state = max(state, human.Width(p.text(a.State(things[id]))))
	}
	for _, id := range r.Things {
		t := things[id]
		if t.ID == r.ID {
			continue
		}
		head := "  " + human.Left(human.Safe(t.Called()), name) + "  " + human.Left(p.text(a.State(t)), state)
		room := p.width - memoryCells - human.Width(head) - 2
		if command := p.command(t); room > 8 && command != "" {
			head += "  " + human.Truncate(command, room, p.cut())
		}
		memory := ""
		if t.MemoryBytes > 0 {
			memory = human.Bytes(t.MemoryBytes)
		}
		p.line(dim, human.Left(human.Truncate(head, p.width-memoryCells, p.cut()), p.width-memoryCells)+human.Right(memory, memoryCells))
		p.say("    ", t.Leaves)
	}
}

// command is a thing's command line as a person would write it, or a container's image.
func (p *page) command(t *account.Thing) string {
	if t.Image != "" {
		image, _, _ := strings.Cut(t.Image, "@")
		return human.Safe(strings.TrimSuffix(image, ":latest"))
	}
	if len(t.Argv) == 0 {
		return ""
	}
	argv := slices.Clone(t.Argv)
	argv[0] = cmp.Or(path.Base(argv[0]), argv[0])
	return human.Safe(p.options.Home.Command(argv))
}

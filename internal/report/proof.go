package report

import "github.com/reaperd/reaperd/internal/human"

// proof says why a target is in use, in its row of the tree. Where there is little room it
// leaves out the owner, whom the tree shows above; where there is still less, everything.
type proof struct {
	text, owner string
	brief       bool // leaves out the owner even where there is room: see [screen.evenProofs]
}

// short is the proof without the owner: all of it if the owner is no part of it, nothing if the tree
// says as much.
func (p proof) short() string {
	switch p.text {
	case p.owner + " holds its stdin":
		return "its stdin is held"
	case p.owner + " is above it", p.owner + " had it when last seen, and lives":
		return ""
	}
	return p.text
}

func (p proof) fit(width int, g glyphs) string {
	if human.Width(p.text) <= width && !p.brief {
		return p.text
	}
	if human.Width(p.short()) <= width {
		return p.short()
	}
	if width < leastProof {
		return ""
	}
	return words(p.text).fit(width, g)
}

// evenProofs words the same proof in the same way in every row: if one row has room for the
// short form only, all have it.
func (s *screen) evenProofs(c columns) {
	var proofs []*row
	short := false
	for _, l := range s.lines {
		if l.row == nil {
			continue
		}
		if p, is := l.row.detail.(proof); is {
			room := min(c.text-human.Width(l.row.head)-2, detailCells)
			short = short || human.Width(p.text) > room && human.Width(p.short()) <= room
			proofs = append(proofs, l.row)
		}
	}
	for _, r := range proofs {
		p := r.detail.(proof)
		p.brief = short
		r.detail = p
	}
}

// leastProof is the least room in which the beginning of a proof says something.
const leastProof = 40

package state

// shapesFile has the servers that the daemon knows by nothing but the shape that they had below
// their session or gateway. Nobody sees that shape any more once they are leaked, so a daemon that
// starts again reads which they were. It makes a server of what had the very identity in that boot;
// whether it is leaked is seen anew.
const shapesFile = "shapes.json"

// mostShapes limits the file: what is over it is known again only while its session lives.
const mostShapes = 4096

type shapesDocument struct {
	Version int      `json:"version"`
	BootID  string   `json:"boot_id"`
	Servers []string `json:"servers"`
}

// Shapes are the servers that a daemon of that boot knew by their shape alone, by their ids.
func (d Dir) Shapes(bootID string) ([]string, error) {
	var document shapesDocument
	if known, err := d.remembered(shapesFile, &document); !known || bootID == "" || document.BootID != bootID {
		return nil, err
	}
	return document.Servers, nil
}

// KeepShapes replaces what [Dir.Shapes] reads.
func (d Dir) KeepShapes(bootID string, servers []string) error {
	return d.keep(shapesFile, shapesDocument{version, bootID, servers[:min(len(servers), mostShapes)]})
}

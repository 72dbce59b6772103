package supervise

// process is one row of the process table.
type process struct {
	pid, parent, session int
	// start is the system's own mark: with the PID it names the process.
	start  uint64
	exited bool // a zombie
}

// below are the processes of a table that descend from one of them, parents
// before children.
func below(table []process, root int) []process {
	children := map[int][]process{}
	for _, p := range table {
		children[p.parent] = append(children[p.parent], p)
	}
	var found []process
	for wave := []int{root}; len(wave) > 0; wave = wave[1:] {
		found = append(found, children[wave[0]]...)
		for _, child := range children[wave[0]] {
			wave = append(wave, child.pid)
		}
	}
	return found
}

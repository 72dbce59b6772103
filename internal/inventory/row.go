package inventory

// Row is one process of the bare process table, as it is read while something is ended.
type Row struct {
	ID    ID
	PPID  int
	State byte // one letter, as in ps
	SID   int  // 0 is unknown, or outside this PID namespace
}

package inventory

// Row is one process of the bare process table, as it is read while something is ended.
type Row struct {
	ID    ID
	PPID  int
	State byte // one letter, as in ps
	SID   int  // 0 is unknown, or outside this PID namespace
	// Ending: it is no zombie yet, and the kernel takes it apart. It may have no open files any
	// more, while its children are still its own. Linux alone tells that (PF_EXITING).
	Ending bool
}

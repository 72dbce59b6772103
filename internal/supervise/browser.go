package supervise

import "github.com/reaperd/reaperd/internal/browser"

// personal finds, among the processes of a tree, a person's everyday browser
// and what is below it: a login opened it, and it happened to be the first
// window. It has a session of its own and a browser's name, and nothing on its
// command line says that a program drives it.
func personal(tree []process, session int, argv func(pid int) []string) map[int]bool {
	found := map[int]bool{}
	for _, p := range tree { // parents first
		if found[p.parent] || p.session != session && browser.IsEveryday(argv(p.pid)) {
			found[p.pid] = true
		}
	}
	return found
}

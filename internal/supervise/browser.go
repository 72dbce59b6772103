package supervise

import "github.com/reaperd/reaperd/internal/browser"

// personal finds a person's everyday browser, and the processes below it, in a tree:
// the server opened it for a login, and it happened to be the browser's first window.
// It has a session of its own and a browser's name, and its arguments do not say that
// a program drives it.
func personal(tree []process, session int, argv func(pid int) []string) map[int]bool {
	found := map[int]bool{}
	for _, p := range tree { // parents first
		if found[p.parent] || p.session != session && browser.IsEveryday(argv(p.pid)) {
			found[p.pid] = true
		}
	}
	return found
}

package supervise

import "github.com/reaperd/reaperd/internal/catalogue/browser"

// personal finds the programs in a tree that are a person's, and the processes below them:
// an everyday browser that the server opened for a login, whose arguments do not say that a
// program drives it, and an editor or office program.
func personal(tree []process, argv func(pid int) []string) map[int]bool {
	found := map[int]bool{}
	for _, p := range tree { // parents first
		if line := argv(p.pid); found[p.parent] || browser.IsEveryday(line) || len(line) > 0 && browser.IsForPerson(line[0]) {
			found[p.pid] = true
		}
	}
	return found
}

package catalogue

import (
	"github.com/reaperd/reaperd/internal/catalogue/browser"
	"github.com/reaperd/reaperd/internal/inventory"
)

// webBrowser recognises web browsers, and whether a program drives them. A browser
// that nothing drives belongs to its user, whoever opened it.
func webBrowser(s sighting) (inventory.Class, bool) {
	for _, program := range s.programs {
		if browser.Is(program.name) {
			return inventory.Class{Browser: true, Driven: browser.IsDriven(s.args()), Name: program.name, Why: program.name + " is a web browser"}, true
		}
	}
	return inventory.Class{}, false
}

// forPerson recognises other programs that only a person uses.
func forPerson(s sighting) (inventory.Class, bool) {
	for _, program := range s.programs {
		if browser.IsForPerson(program.path) {
			return inventory.Class{Person: true, Why: program.name + " is a program for a person"}, true
		}
	}
	return inventory.Class{}, false
}

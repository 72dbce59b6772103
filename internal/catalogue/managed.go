package catalogue

import "github.com/reaperd/reaperd/internal/inventory"

// Managed is the function of that name, for those who are handed a catalogue.
func (c *Catalogue) Managed(container *inventory.Container) (by string, managed bool) {
	return Managed(container)
}

package scan

// cached is a value that is kept from look to look; the package comment lists all of
// them. The zero value is empty.
type cached[K comparable, T any] struct {
	key   K // what the value was read of; while it is the same, so is the value
	value T
	asOf  uint32 // the look at which it was read; 0 is never
	until uint32 // from this look on it is read again, whatever the key
}

// forEver is the until of a value that only its key makes stale.
const forEver = ^uint32(0)

// stands reports that the value need not be read again at this look.
func (c *cached[K, T]) stands(key K, look uint32) bool {
	return c.asOf > 0 && c.key == key && look < c.until
}

// keep stores a value read at this look, which lasts for so many looks.
func (c *cached[K, T]) keep(key K, value T, look, lasts uint32) {
	*c = cached[K, T]{key: key, value: value, asOf: look, until: forEver}
	if lasts < forEver-look {
		c.until = look + lasts
	}
}

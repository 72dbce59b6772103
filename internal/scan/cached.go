package scan

// cached is a value that stands from look to look. The zero value is nothing.
type cached[K comparable, T any] struct {
	key   K // what the value was read of; while it is the same, so is the value
	value T
	asOf  uint32 // the look at which it was read; 0 is never
	until uint32 // the look from which on it is read again whatever the key is
}

// forEver is the look at which what stands by its key alone is read again.
const forEver = ^uint32(0)

// stands reports that a value need not be read again at a look.
func (c *cached[K, T]) stands(key K, look uint32) bool {
	return c.asOf > 0 && c.key == key && look < c.until
}

// keep notes what was read at a look, which is good for so many looks.
func (c *cached[K, T]) keep(key K, value T, look, lasts uint32) {
	*c = cached[K, T]{key: key, value: value, asOf: look, until: forEver}
	if lasts < forEver-look {
		c.until = look + lasts
	}
}

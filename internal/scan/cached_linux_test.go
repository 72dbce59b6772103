package scan

import "testing"

func TestWhatIsCachedStands(t *testing.T) {
	for _, world := range []struct {
		says string
		kept func(*cached[string, int])
		look uint32
		want bool
	}{
		{"nothing was read", func(*cached[string, int]) {}, 1, false},
		{"read at this look", func(c *cached[string, int]) { c.keep("node", 7, 20, rolling) }, 20, true},
		{"at the last look for which it is good", func(c *cached[string, int]) { c.keep("node", 7, 20, rolling) }, 20 + rolling - 1, true},
		{"at the look after that", func(c *cached[string, int]) { c.keep("node", 7, 20, rolling) }, 20 + rolling, false},
		{"what it was read of is another by now", func(c *cached[string, int]) { c.keep("sh", 7, 20, rolling) }, 21, false},
		{"good for ever, years later", func(c *cached[string, int]) { c.keep("node", 7, 20, forEver) }, forEver - 1, true},
		{"to be read again", func(c *cached[string, int]) { c.keep("node", 7, 20, forEver); c.until = 0 }, 21, false},
	} {
		t.Run(world.says, func(t *testing.T) {
			var c cached[string, int]
			world.kept(&c)
			if got := c.stands("node", world.look); got != world.want {
				t.Errorf("stands: %v, want %v", got, world.want)
			}
		})
	}
}

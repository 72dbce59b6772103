package simulate

import (
	"slices"
	"strconv"

	"github.com/reaperd/reaperd/internal/inventory"
)

// channel is a pipe or a socketpair. A pipe's two ends are one inode, of which
// ends[0] reads and ends[1] writes; those of a socketpair have one each.
type channel struct {
	kind inventory.Kind
	ends [2]end
}

// end is one end of a channel. It is open as long as somebody holds it; who
// holds it twice, such as by stdin and stdout, stands in the list twice.
type end struct {
	channel *channel
	side    int
	inode   uint64
	holders []*process
}

func (e *end) other() *end { return &e.channel.ends[1-e.side] }

func (e *end) isOpen() bool { return len(e.holders) > 0 }

func (k *kernel) newChannel(kind inventory.Kind) *channel {
	c := &channel{kind: kind}
	for side := range c.ends {
		if side == 0 || kind == inventory.KindSocket {
			k.inode++
		}
		c.ends[side] = end{channel: c, side: side, inode: k.inode}
	}
	return c
}

func (p *process) hold(e *end) {
	e.holders = append(e.holders, p)
	p.held = append(p.held, e)
}

// drop closes every descriptor that a process has of an end.
func (p *process) drop(e *end) {
	is := func(held *end) bool { return held == e }
	p.held = slices.DeleteFunc(p.held, is)
	e.holders = slices.DeleteFunc(e.holders, func(holder *process) bool { return holder == p })
}

// stream is what a process has as its stdin or stdout. The zero stream is /dev/null.
type stream struct {
	kind inventory.Kind
	end  *end   // of a pipe or a socket
	path string // of a terminal or a file
}

func terminal(path string) stream { return stream{kind: inventory.KindTTY, path: path} }

func file(path string) stream { return stream{kind: inventory.KindFile, path: path} }

func streamOf(e *end) stream { return stream{kind: e.channel.kind, end: e} }

// isHungUp reports that the other end was there and nobody has it any more.
func (s stream) isHungUp() bool { return s.end != nil && !s.end.other().isOpen() }

// id is the kernel's name for a stream, as the link of its descriptor shows it.
func (s stream) id() string {
	switch {
	case s.end != nil:
		return string(s.kind) + ":[" + strconv.FormatUint(s.end.inode, 10) + "]"
	case s.path != "":
		return s.path
	}
	return "/dev/null"
}

// stdio is the stdin and stdout of a server and what its client holds of them.
type stdio struct{ in, out *channel }

// newStdio makes a pair of channels: pipes as Go's and Rust's clients do,
// socketpairs as Node's do.
func (k *kernel) newStdio(kind inventory.Kind) stdio {
	return stdio{in: k.newChannel(kind), out: k.newChannel(kind)}
}

// server is the side of a server: it reads its stdin and writes its stdout.
func (s stdio) server() (in, out stream) { return streamOf(&s.in.ends[0]), streamOf(&s.out.ends[1]) }

// client are the ends of whoever talks to the server.
func (s stdio) client() [2]*end { return [2]*end{&s.in.ends[1], &s.out.ends[0]} }

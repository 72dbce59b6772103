package simulate

import (
	"slices"
	"strconv"

	"github.com/reaperd/reaperd/internal/inventory"
)

// channel is what two sides speak over: a pipe, a FIFO, a socketpair, a connection.
// A pipe's two ends are one inode, of which ends[0] reads and ends[1] writes; those
// of a socket have one each.
type channel struct {
	kind inventory.Kind
	ends [2]end
	// serving is the side of whoever is spoken to, as a server is over its stdio;
	// neither where both sides use each other.
	serving int
	// dialled is a connection: ends[1] is that of whoever listened.
	dialled bool
	// fifo has a name; linked tells that the name still stands.
	fifo, linked bool
	// far is a connection from another host. That it is closed cannot be told here from
	// a caller who has said all that he wants to.
	far bool
}

const neither = -1

// end is one end of a channel. It is open as long as somebody has it; who has it
// twice, such as by stdin and stdout, stands in the list twice.
type end struct {
	channel *channel
	side    int
	inode   uint64
	holders []*process
	// ended tells that whoever has it has said all that he wants to, and only listens.
	ended bool
	// waiting is the listener whose backlog holds it, until he accepts; nil is none.
	waiting *process
	// queue are the ends that were sent to this socket and not received yet; sentTo
	// are the sockets in whose queues this end is.
	queue, sentTo []*end
}

func (e *end) other() *end { return &e.channel.ends[1-e.side] }

func (e *end) isOpen() bool { return len(e.possessors()) > 0 }

// possessors are those who have an end, see it or not: in a table, in a backlog, on its
// way to them.
func (e *end) possessors() []*process {
	if e.waiting == nil && len(e.sentTo) == 0 {
		return e.holders
	}
	all := slices.Clone(e.holders)
	if e.waiting != nil && e.waiting.alive() {
		all = append(all, e.waiting)
	}
	for _, socket := range e.sentTo {
		all = append(all, socket.possessors()...)
	}
	return all
}

func (k *kernel) newChannel(kind inventory.Kind) *channel {
	c := &channel{kind: kind, serving: neither}
	for side := range c.ends {
		if side == 0 || kind == inventory.KindSocket {
			k.inode++
		}
		c.ends[side] = end{channel: c, side: side, inode: k.inode}
	}
	return c
}

// newConnection is one that somebody has dialled: ends[0] is his.
func (k *kernel) newConnection() *channel {
	c := k.newChannel(inventory.KindSocket)
	c.dialled, c.serving = true, 1
	return c
}

// descriptor is what a process has of an end: in its table, in that of a thread of its own,
// or registered with an io_uring. Children inherit only what is in the table and
// not marked to be closed.
type descriptor struct {
	end       *end
	inherited bool
}

func (p *process) have(d descriptor) {
	d.end.holders = append(d.end.holders, p)
	p.held = append(p.held, d)
}

func (p *process) hold(e *end) { p.have(descriptor{end: e}) }

// make holds an end that the process has made itself.
func (p *process) make(e *end) { p.have(descriptor{end: e, inherited: p.leaks}) }

func (p *process) makeAll(ends []*end) {
	for _, e := range ends {
		p.make(e)
	}
}

// drop closes all that a process has of an end, its stdio too.
func (p *process) drop(e *end) {
	for _, s := range []*stream{&p.stdin, &p.stdout} {
		if s.end == e {
			*s = stream{kind: inventory.KindClosed}
		}
	}
	p.held = slices.DeleteFunc(p.held, func(d descriptor) bool { return d.end == e })
	e.holders = slices.DeleteFunc(e.holders, func(holder *process) bool { return holder == p })
}

func (p *process) has(e *end) bool { return slices.Contains(e.holders, p) }

// reach are the ends that a process has or can receive.
func (p *process) reach() []*end {
	ends := slices.Clone(p.backlog)
	for _, d := range p.held {
		ends = append(ends, d.end)
	}
	for i := 0; i < len(ends); i++ {
		ends = append(ends, ends[i].queue...)
	}
	return ends
}

// accept takes the connections out of its backlog.
func (p *process) accept() {
	for _, e := range p.backlog {
		e.waiting = nil
		p.hold(e)
	}
	p.backlog = nil
}

// send puts an end into the queue of a socket; the sender closes his own.
func (p *process) send(e, socket *end) {
	socket.queue, e.sentTo = append(socket.queue, e), append(e.sentTo, socket)
	p.drop(e)
}

// receive takes all ends out of the queue of a socket.
func (p *process) receive(socket *end) {
	for _, e := range socket.queue {
		e.sentTo = slices.DeleteFunc(e.sentTo, func(at *end) bool { return at == socket })
		p.hold(e)
	}
	socket.queue = nil
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

// isAtEnd reports that nothing will come over a stream any more.
func (s stream) isAtEnd() bool { return s.isHungUp() || s.end != nil && s.end.other().ended }

// id is the kernel's name for a stream, as the scanner writes it.
func (s stream) id() string {
	switch {
	case s.end != nil && s.end.channel.fifo:
		return "fifo:[5:" + strconv.FormatUint(s.end.inode, 10) + "]"
	case s.end != nil:
		return string(s.kind) + ":[" + strconv.FormatUint(s.end.inode, 10) + "]"
	case s.path != "", s.kind == inventory.KindClosed:
		return s.path
	}
	return "/dev/null"
}

// stdio is the stdin and stdout of a server and what its client holds of them.
type stdio struct{ in, out *channel }

// newStdio makes a pair of channels: pipes as Go's and Rust's clients do,
// socketpairs as Node's do.
func (k *kernel) newStdio(kind inventory.Kind) stdio {
	s := stdio{in: k.newChannel(kind), out: k.newChannel(kind)}
	s.in.serving, s.out.serving = 0, 1
	return s
}

// newFIFOs are a pair of named ones.
func (k *kernel) newFIFOs() stdio {
	s := k.newStdio(inventory.KindPipe)
	for _, c := range []*channel{s.in, s.out} {
		c.fifo, c.linked = true, true
	}
	return s
}

// server is the side of a server: it reads its stdin and writes its stdout.
func (s stdio) server() (in, out stream) { return streamOf(&s.in.ends[0]), streamOf(&s.out.ends[1]) }

// client are the ends of whoever talks to the server.
func (s stdio) client() []*end { return []*end{&s.in.ends[1], &s.out.ends[0]} }

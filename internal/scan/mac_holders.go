package scan

import (
	"cmp"
	"errors"
	"slices"

	"github.com/reaperd/reaperd/internal/darwin"
	"github.com/reaperd/reaperd/internal/inventory"
)

// ends are everybody's ends of pipes and sockets, as far as they may be read.
type ends struct {
	holders map[uint64][]int // members by handle, each once
	sockets map[int][]darwin.Socket
}

// readEnds reads the descriptors of everybody, once a look. A process that exited
// meanwhile, or whose number was given away, holds nothing.
func (l *macLook) readEnds() *ends {
	if l.ends != nil {
		return l.ends
	}
	l.ends = &ends{holders: map[uint64][]int{}, sockets: map[int][]darwin.Socket{}}
	for i := range l.members {
		if member := &l.members[i]; member.gone || !member.process.Alive() {
			continue
		}
		handles, sockets := l.endsOf(i)
		if l.members[i].gone || l.vanished(i) {
			continue
		}
		l.ends.sockets[i] = sockets
		for _, handle := range handles {
			l.ends.holders[handle] = append(l.ends.holders[handle], i)
		}
	}
	return l.ends
}

// endsOf reads one process's pipes and sockets: their handles, each once. Where a
// descriptor could not be read the process may hold anything.
func (l *macLook) endsOf(i int) (handles []uint64, sockets []darwin.Socket) {
	table := l.tableOf(i)
	for _, descriptor := range table.descriptors {
		handle, socket, err := l.endAt(i, descriptor)
		if err != nil && !isOver(err) {
			l.members[i].process.OpenFDs = inventory.Unreadable[int]()
		}
		if handle != 0 {
			handles = append(handles, handle)
		}
		if socket.Handle != 0 {
			sockets = append(sockets, socket)
		}
	}
	slices.SortFunc(handles, cmp.Compare)
	return slices.Compact(handles), sockets
}

// isOver reports a descriptor, or a process, that is there no more.
func isOver(err error) bool { return errors.Is(err, darwin.ErrOther) || darwin.IsGone(err) }

func (l *macLook) endAt(i int, descriptor darwin.Descriptor) (uint64, darwin.Socket, error) {
	pid := l.members[i].process.PID
	switch descriptor.Type {
	case darwin.TypePipe:
		pipe, err := darwin.PipeAt(l.kernel, pid, descriptor.FD)
		return pipe.Handle, darwin.Socket{}, err
	case darwin.TypeSocket:
		socket, err := darwin.SocketAt(l.kernel, pid, descriptor.FD)
		return socket.Handle, socket, err
	}
	return 0, darwin.Socket{}, nil
}

// attachHolders finds who holds the other ends of a process's streams.
func (l *macLook) attachHolders(i int) {
	member := &l.members[i]
	if member.gone || member.process.PID == 1 {
		return
	}
	member.process.Stdin = l.withHolders(i, 0, member.stdin)
	member.process.Stdout = l.withHolders(i, 1, member.stdout)
}

// withHolders lists the holders of an open end. A handle is used again once its
// pipe is gone: what was collected counts only if the stream is the same after
// it as before.
func (l *macLook) withHolders(i, fd int, stream macStream) inventory.Fact[inventory.Stdio] {
	stdio, known := stream.stdio.Get()
	if !known || stdio.Peer != inventory.PeerOpen {
		return stream.stdio
	}
	if stream.other == 0 { // nothing to compare with
		return stream.stdio
	}
	holders := l.readEnds().holders[stream.other]
	l.members[i].table = nil
	again := l.stream(i, fd)
	if now, ok := again.stdio.Get(); !ok || again.other != stream.other || now.ID != stdio.ID || now.Peer != stdio.Peer {
		stdio.Peer = inventory.PeerUnknown
		return inventory.Known(stdio)
	}
	stdio.Holders = []int{}
	for _, holder := range holders {
		l.relate(holder)
		stdio.Holders = append(stdio.Holders, l.members[holder].process.PID)
	}
	return inventory.Known(stdio)
}

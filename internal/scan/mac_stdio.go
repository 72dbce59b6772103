package scan

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/reaperd/reaperd/internal/darwin"
	"github.com/reaperd/reaperd/internal/inventory"
)

// macTable is a process's table of descriptors.
type macTable struct {
	descriptors []darwin.Descriptor
	err         error // not nil: could not be read, it may hold anything
}

func (t *macTable) typeOf(fd int) (darwin.Type, bool) {
	i := slices.IndexFunc(t.descriptors, func(d darwin.Descriptor) bool { return d.FD == fd })
	if i < 0 {
		return 0, false
	}
	return t.descriptors[i].Type, true
}

// tableOf reads a member's descriptors, once a look.
func (l *macLook) tableOf(i int) *macTable {
	member := &l.members[i]
	if member.table != nil {
		return member.table
	}
	descriptors, err := darwin.DescriptorsOf(l.kernel, member.process.PID)
	member.table = &macTable{descriptors, err}
	switch {
	case err == nil:
		member.process.OpenFDs = inventory.Known(len(descriptors))
	case darwin.IsGone(err):
		member.gone = true
	default:
		member.process.OpenFDs = inventory.Unreadable[int]()
	}
	return member.table
}

// macStream is a stdin or stdout as it was read, with the handle that a holder
// of its other end has.
type macStream struct {
	stdio inventory.Fact[inventory.Stdio]
	other uint64 // 0 is none that could be found
}

// rereads is how often a descriptor is read again that changed meanwhile.
const rereads = 3

// stream reads a process's stdin or stdout. A descriptor that was closed or
// reused since it was listed is listed again: it is never taken for closed.
func (l *macLook) stream(i, fd int) macStream {
	for range rereads {
		table := l.tableOf(i)
		if table.err != nil || l.members[i].untied {
			break
		}
		found, err := l.streamOf(i, fd, table)
		if err == nil {
			return found
		}
		if !errors.Is(err, darwin.ErrOther) {
			break
		}
		l.members[i].table = nil
	}
	return macStream{stdio: inventory.Unreadable[inventory.Stdio]()}
}

func (l *macLook) streamOf(i, fd int, table *macTable) (macStream, error) {
	kind, open := table.typeOf(fd)
	if !open {
		return streamAs(inventory.Stdio{Kind: inventory.KindClosed}), nil
	}
	member := &l.members[i]
	switch kind {
	case darwin.TypePipe:
		pipe, err := darwin.PipeAt(l.kernel, member.process.PID, fd)
		return pipeStream(pipe), err
	case darwin.TypeSocket:
		socket, err := darwin.SocketAt(l.kernel, member.process.PID, fd)
		if err != nil {
			return macStream{}, err
		}
		return l.socketStream(socket), nil
	case darwin.TypeVnode:
		vnode, err := darwin.VnodeAt(l.kernel, member.process.PID, fd)
		return streamAs(vnodeStdio(vnode, member.terminal)), err
	}
	return streamAs(inventory.Stdio{Kind: inventory.KindUnknown}), nil
}

func streamAs(stdio inventory.Stdio) macStream { return macStream{stdio: inventory.Known(stdio)} }

// pipeStream is a stream that is one end of a pipe. Its name is the handle of
// that end, which a wrapper hands on.
func pipeStream(pipe darwin.Pipe) macStream {
	s := streamAs(inventory.Stdio{Kind: inventory.KindPipe, ID: handleName("pipe", pipe.Handle), Peer: peerOf(pipe.Other())})
	if pipe.Other() == darwin.EndOpen {
		s.other = pipe.Peer
	}
	return s
}

// socketStream is a stream that is a socket. The other end of a TCP connection is
// found if it is on this host.
func (l *macLook) socketStream(socket darwin.Socket) macStream {
	stdio := inventory.Stdio{Kind: inventory.KindSocket, ID: handleName("socket", socket.Handle), Peer: peerOf(socket.Other())}
	s := macStream{}
	switch {
	case socket.IsTCP():
		stdio.Peer, s.other = l.tcpEnd(socket.TCP)
	case socket.Other() == darwin.EndOpen:
		s.other = socket.Peer
	}
	s.stdio = inventory.Known(stdio)
	return s
}

func handleName(kind string, handle uint64) string { return fmt.Sprintf("%s:[%x]", kind, handle) }

func peerOf(end darwin.End) inventory.Peer {
	switch end {
	case darwin.EndOpen:
		return inventory.PeerOpen
	case darwin.EndClosed:
		return inventory.PeerClosed
	}
	return inventory.PeerUnknown
}

// vnodeStdio is a stream that is a file, a terminal or a device. The bits of st_mode are the
// same on all systems.
func vnodeStdio(vnode darwin.Vnode, terminal uint32) inventory.Stdio {
	id := fmt.Sprintf("file:[%x:%d]", vnode.Device, vnode.Inode)
	switch vnode.Mode & unix.S_IFMT {
	case unix.S_IFIFO:
		fifo := inventory.Stdio{Kind: inventory.KindPipe, ID: "fifo" + id[len("file"):], Peer: inventory.PeerUnknown}
		if vnode.Links > 0 { // somebody may come by its name; the kernel does not tell here who has it open
			fifo.Peer, fifo.Named = inventory.PeerOpen, true
		}
		return fifo
	case unix.S_IFCHR:
		return inventory.Stdio{Kind: macCharacter(vnode.Special, terminal), ID: macDevice(vnode.Special)}
	case unix.S_IFREG, unix.S_IFDIR, unix.S_IFBLK:
		return inventory.Stdio{Kind: inventory.KindFile, ID: id}
	}
	return inventory.Stdio{Kind: inventory.KindUnknown, ID: id}
}

// Majors of character devices (cdevsw of bsd/dev/{i386,arm64}/conf.c). What
// posix_openpt gives is added while the system starts, from 15 on
// (bsd/kern/tty_ptmx.c): first /dev/ptmx, then /dev/ttysNNN.
const (
	majorConsole  = 0
	majorOwn      = 2 // /dev/tty
	majorMemory   = 3 // null and zero among others
	majorTTY      = 4
	majorPTY      = 5
	majorTerminal = 16
	minorNull     = 2
)

func macMajor(device uint32) uint32 { return device >> 24 }
func macMinor(device uint32) uint32 { return device & 0xffffff }

// macCharacter is the kind of stream that a character device makes as stdin or
// stdout.
func macCharacter(device, terminal uint32) inventory.Kind {
	switch {
	case device == terminal:
		return inventory.KindTTY
	case macMajor(device) == majorMemory && macMinor(device) == minorNull:
		return inventory.KindNull
	case macMajor(device) == majorMemory:
		return inventory.KindFile
	}
	switch macMajor(device) {
	case majorConsole, majorOwn, majorTTY, majorPTY, majorTerminal:
		return inventory.KindTTY
	}
	return inventory.KindUnknown
}

func macDevice(device uint32) string {
	if macMajor(device) == majorMemory && macMinor(device) == minorNull {
		return "/dev/null"
	}
	return "/dev/" + macTerminal(device)
}

// macTerminal is the name of the terminal with that device number; empty is no
// terminal.
func macTerminal(device uint32) string {
	switch {
	case device == darwin.NoTTY:
		return ""
	case macMajor(device) == majorTerminal:
		return fmt.Sprintf("ttys%03d", macMinor(device))
	case macMajor(device) == majorConsole:
		return "console"
	}
	return fmt.Sprintf("%d:%d", macMajor(device), macMinor(device))
}

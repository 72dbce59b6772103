package darwintest

import "net/netip"

// File is an open file: one end of a pipe, a socket, a device, a file. It is
// closed when no descriptor is open on it.
type File struct {
	users  int
	pipe   *pipeEnd
	socket *Socket
	vnode  *vnode
	other  bool // a kqueue, say
	closed func()
}

type pipeEnd struct {
	handle uint64
	peer   *pipeEnd
	status int
}

// Socket is a socket.
type Socket struct {
	handle    uint64
	peer      *Socket
	unix      bool
	listening bool
	// severed tells that it was connected and is no more.
	severed       bool
	path          string
	state         int // of TCP
	local, remote netip.AddrPort
	shutdown      bool // the other end sends no more
}

type vnode struct {
	mode, device int
	inode        uint64
	special      uint32
	links        int // its names
}

// handle is a kernel address, hashed: the one that was freed last is used first.
func (k *Kernel) handle() uint64 {
	if n := len(k.handles); n > 0 {
		free := k.handles[n-1]
		k.handles = k.handles[:n-1]
		return free
	}
	k.lastHandle++
	return 0x9e3779b97f4a7c15 * k.lastHandle
}

// Pipe makes a pipe: what is read from and what is written to.
func (k *Kernel) Pipe() (read, write *File) {
	k.mu.Lock()
	defer k.mu.Unlock()
	a, b := &pipeEnd{handle: k.handle()}, &pipeEnd{handle: k.handle()}
	a.peer, b.peer = b, a
	return k.pipeFile(a), k.pipeFile(b)
}

func (k *Kernel) pipeFile(end *pipeEnd) *File {
	return &File{pipe: end, closed: func() {
		k.handles = append(k.handles, end.handle)
		if end.peer != nil {
			end.peer.status |= k.encoder.Constant("PIPE_EOF")
			end.peer.peer, end.peer = nil, nil
		}
	}}
}

// Pair makes a pair of Unix sockets.
func (k *Kernel) Pair() (one, other *File) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.pair("")
}

func (k *Kernel) pair(path string) (one, other *File) {
	a, b := &Socket{handle: k.handle(), unix: true, path: path}, &Socket{handle: k.handle(), unix: true}
	a.peer, b.peer = b, a
	return k.socketFile(a), k.socketFile(b)
}

func (k *Kernel) socketFile(s *Socket) *File {
	return &File{socket: s, closed: func() {
		k.handles = append(k.handles, s.handle)
		if s.peer == nil {
			return
		}
		s.peer.peer, s.peer.severed = nil, true
		if !s.unix { // the one that closes first waits
			s.state, s.handle = k.encoder.Constant("TSI_S_TIME_WAIT"), 0
			s.peer.state = 5 // CLOSE_WAIT
			k.connected = append(k.connected, s)
		}
		s.peer = nil
	}}
}

// Shutdown has one end of a pair of sockets send no more; both stay open.
func (k *Kernel) Shutdown(end *File) {
	k.mu.Lock()
	defer k.mu.Unlock()
	end.socket.peer.shutdown = true
}

// Listen makes a listening socket: a TCP one at an address, a Unix one at a path.
func (k *Kernel) Listen(address string) *File {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := &Socket{handle: k.handle(), listening: true}
	if at, err := netip.ParseAddrPort(address); err == nil {
		s.local, s.state = at, k.encoder.Constant("TSI_S_LISTEN")
	} else {
		s.unix, s.path = true, address
	}
	return k.socketFile(s)
}

// Connect makes a connection to a listening socket: what is accepted, and what
// has connected.
func (k *Kernel) Connect(listener *File, port uint16) (accepted, client *File) {
	k.mu.Lock()
	defer k.mu.Unlock()
	to := listener.socket
	if to.unix {
		return k.pair(to.path)
	}
	local := to.local
	if local.Addr().IsUnspecified() {
		local = netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), local.Port())
	}
	established := k.encoder.Constant("TSI_S_ESTABLISHED")
	remote := netip.AddrPortFrom(local.Addr(), port)
	a := &Socket{handle: k.handle(), state: established, local: local, remote: remote}
	b := &Socket{handle: k.handle(), state: established, local: remote, remote: local}
	a.peer, b.peer = b, a
	return k.socketFile(a), k.socketFile(b)
}

// EOF reports whether whoever reads from a file finds its end: the other end of
// a pipe or a pair of sockets is gone.
func (k *Kernel) EOF(file *File) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case file == nil:
		return false
	case file.pipe != nil:
		return file.pipe.peer == nil
	case file.socket != nil:
		return file.socket.severed
	}
	return false
}

// Drop closes a file that no descriptor is open on.
func (k *Kernel) Drop(file *File) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if file.users == 0 && file.closed != nil {
		file.closed()
		file.closed = nil
	}
}

// Null is /dev/null.
func Null() *File { return device(3<<24 | 2) }

// Terminal is the device number of a terminal, and TTY the terminal itself.
func Terminal(number int) uint32 { return 16<<24 | uint32(number) }

// TTY is /dev/ttysNNN.
func TTY(number int) *File { return device(Terminal(number)) }

func device(special uint32) *File {
	return &File{vnode: &vnode{mode: 0o020666, inode: 300, special: special, links: 1}}
}

// Regular is a regular file.
func Regular(inode uint64) *File {
	return &File{vnode: &vnode{mode: 0o100644, device: 0x1000004, inode: inode, links: 1}}
}

// FIFO is a named pipe, with so many names.
func FIFO(inode uint64, names int) *File {
	return &File{vnode: &vnode{mode: 0o010600, device: 0x1000004, inode: inode, links: names}}
}

// Queue is a kqueue.
func Queue() *File { return &File{other: true} }

package darwin

import (
	"bytes"
	"encoding/binary"
	"math"
	"net/netip"
)

// Numbers are little-endian, as on both processors that macOS runs on.
func number16(data []byte, at int) uint16 { return binary.LittleEndian.Uint16(data[at:]) }
func number32(data []byte, at int) uint32 { return binary.LittleEndian.Uint32(data[at:]) }
func number64(data []byte, at int) uint64 { return binary.LittleEndian.Uint64(data[at:]) }

// text is the part of a field before the first NUL.
func text(field []byte) string {
	before, _, _ := bytes.Cut(field, []byte{0})
	return string(before)
}

// Process is one row of the process table.
type Process struct {
	PID, PPID, PGID, UID int
	// Start is the time of the fork in microseconds since 1970, as the kernel
	// stamped it; an exec and a step of the clock leave it.
	Start uint64
	State byte // one letter, as in ps
	Comm  string
	TTY   uint32 // the device of the controlling terminal; noTTY is none
}

// NoTTY is the device of no terminal (NODEV).
const NoTTY = ^uint32(0)

// decodeTable reads kern.proc.all: rows of struct kinfo_proc.
func decodeTable(data []byte) ([]Process, error) {
	if len(data)%kinfoSize != 0 {
		return nil, sizeError("struct kinfo_proc", len(data)%kinfoSize, kinfoSize)
	}
	rows := make([]Process, 0, len(data)/kinfoSize)
	for ; len(data) > 0; data = data[kinfoSize:] {
		if row := decodeRow(data[:kinfoSize]); row.PID > 0 { // 0 is the kernel itself
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func decodeRow(data []byte) Process {
	return Process{
		PID:   int(int32(number32(data, kinfoPID))),
		PPID:  int(int32(number32(data, kinfoPPID))),
		PGID:  int(int32(number32(data, kinfoPGID))),
		UID:   int(number32(data, kinfoUID)),
		Start: micros(number64(data, kinfoSeconds), uint64(number32(data, kinfoMicros))),
		State: stateLetter(data[kinfoState]),
		Comm:  text(data[kinfoComm : kinfoComm+17]),
		TTY:   number32(data, kinfoTTY),
	}
}

func micros(seconds, rest uint64) uint64 { return seconds*1_000_000 + rest }

// stateLetter is the letter of ps for p_stat; 0 if it is not known.
func stateLetter(state byte) byte {
	switch state {
	case stateIdle:
		return 'I'
	case stateRunning:
		return 'R'
	case stateSleeping:
		return 'S'
	case stateStopped:
		return 'T'
	case stateZombie:
		return 'Z'
	}
	return 0
}

// Identity names a process. Unique is never used for another process and survives an
// exec. Parent is the Unique of the process that forked it, whoever has adopted it
// since. Version changes with each exec.
type Identity struct {
	Unique, Parent uint64
	Version        uint32
	// Start is as in [Process]; 0 where only the identity was asked for.
	Start uint64
}

// decodeUnique reads struct proc_uniqidentifierinfo.
func decodeUnique(data []byte) Identity {
	return Identity{Unique: number64(data, uniqueSelf), Parent: number64(data, uniqueParent), Version: number32(data, uniqueVersion)}
}

// decodeBSDUnique reads struct proc_bsdinfowithuniqid: identity and start of one
// process at one moment.
func decodeBSDUnique(data []byte) (pid int, identity Identity) {
	return int(number32(data, bsdPID)), Identity{
		Unique: number64(data, bsdSelf), Parent: number64(data, bsdParent), Version: number32(data, bsdVersion),
		Start: micros(number64(data, bsdSeconds), number64(data, bsdMicros)),
	}
}

// Task is the use of a process.
type Task struct {
	Resident uint64 // bytes
	Time     uint64 // of the processor, user and system, in ticks of hw.tbfrequency
	Threads  int
	// Events counts its calls to the kernel, Mach messages and changes of context. Full means that one of
	// the counters has reached its end, where the kernel leaves it (fill_taskprocinfo of
	// osfmk/kern/bsd_kern.c): what it does since cannot be told.
	Events uint64
	Full   bool
}

// decodeTask reads struct proc_taskinfo.
func decodeTask(data []byte) Task {
	task := Task{
		Resident: number64(data, taskResident),
		Time:     number64(data, taskUser) + number64(data, taskSystem),
		Threads:  int(int32(number32(data, taskThreads))),
	}
	for _, at := range [...]int{taskSent, taskReceived, taskMach, taskUnix, taskSwitches} {
		count := number32(data, at)
		task.Events += uint64(count)
		task.Full = task.Full || count >= math.MaxInt32
	}
	return task
}

// Usage is more of the use of a process, in bytes.
type Usage struct {
	Footprint uint64 // the memory that ending it frees
	Disk      uint64 // read from and written to disks
}

// decodeUsage reads struct rusage_info_v2.
func decodeUsage(data []byte) Usage {
	return Usage{Footprint: number64(data, usageFootprint), Disk: number64(data, usageRead) + number64(data, usageWritten)}
}

// Type is the kind of thing that a descriptor is open on.
type Type uint32

// The types of descriptors (PROX_FDTYPE_… of bsd/sys/proc_info.h).
const (
	TypeVnode  Type = 1
	TypeSocket Type = 2
	TypePipe   Type = 6
)

// Descriptor is one entry of a process's table of descriptors.
type Descriptor struct {
	FD   int
	Type Type
}

// decodeDescriptors reads rows of struct proc_fdinfo.
func decodeDescriptors(data []byte) []Descriptor {
	rows := make([]Descriptor, 0, len(data)/descriptorSize)
	for ; len(data) >= descriptorSize; data = data[descriptorSize:] {
		rows = append(rows, Descriptor{FD: int(int32(number32(data, descriptorNumber))), Type: Type(number32(data, descriptorType))})
	}
	return rows
}

// Vnode is the file, terminal or device that a descriptor is open on.
type Vnode struct {
	Mode    uint16 // with the bits of its kind, as in stat(2)
	Links   uint16 // its names
	Device  uint32 // the file system's
	Inode   uint64
	Special uint32 // of a device: its number
}

// decodeVnode reads struct vnode_fdinfo.
func decodeVnode(data []byte) Vnode {
	return Vnode{
		Mode: number16(data, vnodeMode), Links: number16(data, vnodeLinks), Device: number32(data, vnodeDevice),
		Inode: number64(data, vnodeInode), Special: number32(data, vnodeSpecial),
	}
}

// End tells whether anybody has the other end of a pipe or socket. The zero
// value is unknown.
type End uint8

// The states of the other end.
const (
	EndUnknown End = iota
	EndOpen
	EndClosed
)

// Pipe is one end of a pipe.
type Pipe struct {
	Handle, Peer uint64
	Status       uint32
}

// decodePipe reads struct pipe_fdinfo.
func decodePipe(data []byte) Pipe {
	return Pipe{Handle: number64(data, pipeHandle), Peer: number64(data, pipePeer), Status: number32(data, pipeStatus)}
}

// Other says whether anybody has the other end open (pipeclose and fill_pipeinfo of
// bsd/kern/sys_pipe.c). The kernel first marks the end and then removes the peer; in
// between it is not known.
func (p Pipe) Other() End {
	ended, draining := p.Status&pipeEnded != 0, p.Status&pipeDraining != 0
	switch {
	case draining:
		return EndUnknown
	case ended && p.Peer == 0:
		return EndClosed
	case !ended && p.Peer != 0:
		return EndOpen
	}
	return EndUnknown
}

// Socket is a socket that a descriptor is open on.
type Socket struct {
	Handle    uint64
	Family    uint32
	Stream    bool
	Listening bool
	State     uint16
	kind      uint32

	// For Unix sockets:
	Peer, PeerBlock uint64 // handles of the other end and of its control block
	Path            string // where it is bound, or was accepted

	TCP TCP // of a TCP socket
}

// IsUnix and IsTCP tell the kinds of sockets that have another end here.
func (s Socket) IsUnix() bool { return s.kind == kindUnix && s.Family == familyUnix }
func (s Socket) IsTCP() bool  { return s.kind == kindTCP }

// Other says whether anybody has the other end of a Unix stream socket open
// (unp_disconnect of bsd/kern/uipc_usrreq.c). A socket that can receive no more but
// has a peer is open: the peer has shut down its side. For a socket that was never
// connected it is not known.
func (s Socket) Other() End {
	if !s.IsUnix() || !s.Stream || s.Listening {
		return EndUnknown
	}
	disconnected := s.State&isDisconnected != 0
	switch {
	case s.PeerBlock == 0 && disconnected:
		return EndClosed
	case s.PeerBlock != 0 && !disconnected:
		return EndOpen
	}
	return EndUnknown
}

// decodeSocket reads struct socket_fdinfo.
func decodeSocket(data []byte) Socket {
	s := Socket{
		Handle: number64(data, socketHandle), Family: number32(data, socketFamily),
		Stream:    number32(data, socketType) == typeStream,
		Listening: number16(data, socketOptions)&acceptsConnect != 0,
		State:     number16(data, socketState), kind: number32(data, socketKind),
	}
	switch s.kind {
	case kindUnix:
		s.Peer, s.PeerBlock = number64(data, unixPeer), number64(data, unixPeerBlock)
		s.Path = decodeAddress(data[unixAddress : unixAddress+255])
	case kindTCP:
		version := data[tcpVersion]
		s.TCP = TCP{Handle: s.Handle, State: State(number32(data, tcpState)),
			Local:  endpoint(version, data[tcpLocal:], data[tcpLocalPort:]),
			Remote: endpoint(version, data[tcpRemote:], data[tcpRemotePort:])}
	}
	return s
}

// decodeAddress reads struct sockaddr_un: its length, its family, its path.
func decodeAddress(data []byte) string {
	length := min(int(data[0]), len(data))
	if length <= 2 {
		return ""
	}
	return text(data[2:length])
}

// endpoint reads an address of 16 bytes (IPv4 uses the last four) and a port in
// network order.
func endpoint(version byte, address, port []byte) netip.AddrPort {
	at := netip.AddrFrom4([4]byte(address[12:16]))
	if version&versionIPv6 != 0 {
		at = netip.AddrFrom16([16]byte(address[:16])).Unmap()
	}
	return netip.AddrPortFrom(at, binary.BigEndian.Uint16(port))
}

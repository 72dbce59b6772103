package darwin

import (
	"errors"
	"fmt"
	"strconv"
	"syscall"
)

// Table reads the process table in one call: everybody's processes, zombies
// included.
func Table(k Kernel) ([]Process, error) {
	data, err := sysctlAll(k, "kern.proc.all")
	if err != nil {
		return nil, err
	}
	return decodeTable(data)
}

// anyState includes zombies.
const anyState = 1

// structure is a struct that the kernel fills in, and what is read of it.
type structure[T any] struct {
	name   string
	size   int
	decode func([]byte) T
}

// ask asks for a struct, which must have exactly its size.
func ask[T any](s structure[T], call func(buffer []byte) (int, error)) (found T, err error) {
	buffer := make([]byte, s.size)
	n, err := call(buffer)
	if err == nil && n != s.size {
		err = sizeError(s.name, n, s.size)
	}
	if err != nil {
		return found, err
	}
	return s.decode(buffer), nil
}

// about asks for a struct about a process.
func about[T any](k Kernel, pid, flavor int, arg uint64, s structure[T]) (T, error) {
	return ask(s, func(buffer []byte) (int, error) { return k.PIDInfo(pid, flavor, arg, buffer) })
}

// IdentityOf is the identity of the process that has this number now, zombies
// included. Every user may ask about every process.
func IdentityOf(k Kernel, pid int) (Identity, error) {
	return about(k, pid, flavorUnique, anyState, structure[Identity]{"struct proc_uniqidentifierinfo", uniqueSize, decodeUnique})
}

// Identify is the identity, with the start mark of the same process, in one call.
// Only root may ask about another user's.
func Identify(k Kernel, pid int) (Identity, error) {
	number := 0
	decode := func(data []byte) (found Identity) { number, found = decodeBSDUnique(data); return found }
	identity, err := about(k, pid, flavorBSDUnique, anyState, structure[Identity]{"struct proc_bsdinfowithuniqid", bsdSize, decode})
	if err == nil && number != pid {
		return Identity{}, fmt.Errorf("asked for process %d: the answer is for %d", pid, number)
	}
	return identity, err
}

// errArguments means that an answer is no argument vector.
var errArguments = errors.New("kern.procargs2: the arguments are not all there")

// largestArguments is the largest buffer that kern.procargs2 accepts: ARG_MAX
// (bsd/sys/syslimits.h) and the leading number.
const largestArguments = 1<<20 + 4

// ArgumentsOf reads a process's arguments and environment.
func ArgumentsOf(k Kernel, pid int) (Arguments, error) {
	data, err := sysctlUpTo(k, "kern.procargs2", pid, largestArguments)
	if err != nil {
		return Arguments{}, err
	}
	found, ok := decodeArguments(data)
	if !ok {
		return Arguments{}, errArguments
	}
	return found, nil
}

// CwdOf is a process's working directory.
func CwdOf(k Kernel, pid int) (string, error) {
	decode := func(data []byte) string { return text(data[pathsCwd : pathsCwd+1024]) }
	return about(k, pid, flavorPaths, 0, structure[string]{"struct proc_vnodepathinfo", pathsSize, decode})
}

// TaskOf reads a process's use of memory and processor.
func TaskOf(k Kernel, pid int) (Task, error) {
	return about(k, pid, flavorTask, 0, structure[Task]{"struct proc_taskinfo", taskSize, decodeTask})
}

// UsageOf reads a process's footprint and its use of disks.
func UsageOf(k Kernel, pid int) (Usage, error) {
	call := func(buffer []byte) (int, error) { return usageSize, k.Usage(pid, buffer) }
	return ask(structure[Usage]{"struct rusage_info_v2", usageSize, decodeUsage}, call)
}

// DescriptorsOf lists a process's descriptors. The kernel fills a buffer that is too
// small without an error, so a full one is asked for again, larger. Descriptors in
// Mach messages (fileports) are not listed.
func DescriptorsOf(k Kernel, pid int) ([]Descriptor, error) {
	room, err := k.PIDInfo(pid, flavorDescriptors, 0, nil)
	if err != nil {
		return nil, err
	}
	for range attempts {
		buffer := make([]byte, max(room, descriptorSize)+descriptorSize)
		n, err := k.PIDInfo(pid, flavorDescriptors, 0, buffer)
		switch {
		case err != nil:
			return nil, err
		case n%descriptorSize != 0:
			return nil, sizeError("struct proc_fdinfo", n%descriptorSize, descriptorSize)
		case n+descriptorSize <= len(buffer) && n < room || n == 0:
			return decodeDescriptors(buffer[:n]), nil
		}
		room *= 2
	}
	return nil, fmt.Errorf("descriptors of process %d: %w", pid, errGrowing)
}

// ErrOther means that a descriptor no longer has the type that was listed.
var ErrOther = errors.New("the descriptor was closed or reused meanwhile")

// PipeAt is the pipe that a descriptor is open on. [ErrOther]: it was closed or
// reused since it was listed.
func PipeAt(k Kernel, pid, fd int) (Pipe, error) {
	return at(k, pid, fd, flavorPipe, structure[Pipe]{"struct pipe_fdinfo", pipeSize, decodePipe})
}

// SocketAt is the socket that a descriptor is open on.
func SocketAt(k Kernel, pid, fd int) (Socket, error) {
	return at(k, pid, fd, flavorSocket, structure[Socket]{"struct socket_fdinfo", socketSize, decodeSocket})
}

// VnodeAt is the file or device that a descriptor is open on. The kernel asks the
// file system, and hangs if that does.
func VnodeAt(k Kernel, pid, fd int) (Vnode, error) {
	return at(k, pid, fd, flavorVnode, structure[Vnode]{"struct vnode_fdinfo", vnodeSize, decodeVnode})
}

func at[T any](k Kernel, pid, fd, flavor int, s structure[T]) (T, error) {
	found, err := ask(s, func(buffer []byte) (int, error) { return k.FDInfo(pid, fd, flavor, buffer) })
	if errors.Is(err, syscall.EBADF) || errors.Is(err, syscall.ENOTSOCK) {
		err = ErrOther
	}
	return found, err
}

// TCPSockets are all TCP sockets of the host.
func TCPSockets(k Kernel) ([]TCP, error) {
	data, err := sysctlAll(k, "net.inet.tcp.pcblist_n")
	if err != nil {
		return nil, err
	}
	return decodeTCPList(data)
}

// NumberOf is the number under a sysctl name, of four or eight bytes.
func NumberOf(k Kernel, name string) (uint64, error) {
	buffer := make([]byte, 8)
	n, err := k.Sysctl(name, 0, buffer)
	switch {
	case err != nil:
		return 0, err
	case n == 4:
		return uint64(number32(buffer, 0)), nil
	case n == 8:
		return number64(buffer, 0), nil
	}
	return 0, sizeError(name, n, 8)
}

// BootID names this boot of the host.
func BootID(k Kernel) string {
	if id, err := sysctlAll(k, "kern.bootsessionuuid"); err == nil && text(id) != "" {
		return text(id)
	}
	data, err := sysctlAll(k, "kern.boottime")
	if err != nil || len(data) < 12 {
		return ""
	}
	return strconv.FormatUint(micros(number64(data, 0), uint64(number32(data, 8))), 10)
}

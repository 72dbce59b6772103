//go:build linux

package main

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"golang.org/x/sys/unix"
)

// The kernel's requests to a FUSE file system (include/uapi/linux/fuse.h).
const (
	fuseLookup  = 1
	fuseForget  = 2
	fuseGetattr = 3
	fuseOpen    = 14
	fuseRead    = 15
	fuseRelease = 18
	fuseFlush   = 25
	fuseInit    = 26
	fuseOpendir = 27

	inHeader  = 40
	outHeader = 16
	fileSize  = 1 << 20
)

// serve mounts a file system that never answers: without files no request at all, with
// files no request for the content of a file.
func serve(folder string, files bool) error {
	device, err := unix.Open("/dev/fuse", unix.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("open /dev/fuse: %w", err)
	}
	options := fmt.Sprintf("fd=%d,rootmode=40755,user_id=0,group_id=0,allow_other", device)
	if err := unix.Mount("puppet", folder, "fuse", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return fmt.Errorf("mount %s: %w", folder, err)
	}
	question := make([]byte, 1<<17)
	for {
		n, err := unix.Read(device, question)
		if err != nil {
			return fmt.Errorf("read question: %w", err)
		}
		if n < inHeader {
			continue
		}
		if first := answer(device, question[:n]); !first {
			continue
		}
		if err := done(); err != nil {
			return err
		}
		if !files {
			for {
				_ = unix.Pause() // read no more requests
			}
		}
	}
}

// answer answers one request, and reports whether it was the first one, INIT.
func answer(device int, question []byte) (first bool) {
	kind, unique, node := binary.NativeEndian.Uint32(question[4:]), binary.NativeEndian.Uint64(question[8:]), binary.NativeEndian.Uint64(question[16:])
	var body []byte
	status := int32(0)
	switch kind {
	case fuseInit:
		body = make([]byte, 64)
		binary.NativeEndian.PutUint32(body, 7)
		binary.NativeEndian.PutUint32(body[4:], 31)
		binary.NativeEndian.PutUint32(body[20:], 1<<16) // max_write
	case fuseGetattr:
		body = append(lasting(16), attributes(node)...)
	case fuseLookup:
		body = make([]byte, 40)
		binary.NativeEndian.PutUint64(body, nodeOf(question[inHeader:]))
		binary.NativeEndian.PutUint64(body[16:], 3600) // valid for so many seconds
		binary.NativeEndian.PutUint64(body[24:], 3600)
		body = append(body, attributes(nodeOf(question[inHeader:]))...)
	case fuseOpen, fuseOpendir:
		body = make([]byte, 16)
	case fuseRead, fuseForget:
		return false // never answered
	case fuseFlush, fuseRelease:
	default:
		status = -int32(unix.ENOSYS)
	}
	reply := make([]byte, outHeader, outHeader+len(body))
	binary.NativeEndian.PutUint32(reply, uint32(outHeader+len(body)))
	binary.NativeEndian.PutUint32(reply[4:], uint32(status))
	binary.NativeEndian.PutUint64(reply[8:], unique)
	_, _ = unix.Write(device, append(reply, body...)) // the process that asked may have ended
	return kind == fuseInit
}

// nodeOf returns the number of the file with that name: every name is a file.
func nodeOf(name []byte) uint64 {
	sum := fnv.New32()
	_, _ = sum.Write(name)
	return 2 + uint64(sum.Sum32())
}

// lasting returns the beginning of an answer with attributes that are valid for an hour.
func lasting(size int) []byte {
	body := make([]byte, size)
	binary.NativeEndian.PutUint64(body, 3600)
	return body
}

// attributes returns the attributes of the root or of a file.
func attributes(node uint64) []byte {
	a := make([]byte, 88)
	mode, size := uint32(unix.S_IFREG|0o444), uint64(fileSize)
	if node == 1 {
		mode, size = unix.S_IFDIR|0o755, 4096
	}
	binary.NativeEndian.PutUint64(a, node)
	binary.NativeEndian.PutUint64(a[8:], size)
	binary.NativeEndian.PutUint64(a[16:], size/512)
	binary.NativeEndian.PutUint32(a[60:], mode)
	binary.NativeEndian.PutUint32(a[64:], 1)
	binary.NativeEndian.PutUint32(a[80:], 4096)
	return a
}

package scan

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// parseNetTCP reads /proc/PID/net/tcp or tcp6 after its heading line.
func parseNetTCP(data string) ([]tcpSocket, error) {
	var sockets []tcpSocket
	_, data, _ = strings.Cut(data, "\n")
	for line := range strings.Lines(data) {
		words := strings.Fields(line)
		if len(words) < 10 {
			return nil, fmt.Errorf("socket line %q: too short", strings.TrimSpace(line))
		}
		socket, err := netTCPSocket(words[1], words[2], words[3], words[9])
		if err != nil {
			return nil, fmt.Errorf("socket line %q: %w", strings.TrimSpace(line), err)
		}
		sockets = append(sockets, socket)
	}
	return sockets, nil
}

func netTCPSocket(local, remote, state, inode string) (s tcpSocket, err error) {
	if s.local, err = netEnd(local); err != nil {
		return s, err
	}
	if s.remote, err = netEnd(remote); err != nil {
		return s, err
	}
	number, err := strconv.ParseUint(state, 16, 8)
	if err != nil {
		return s, err
	}
	s.state = uint8(number)
	s.inode, err = strconv.ParseUint(inode, 10, 64)
	return s, err
}

// netEnd reads "0100007F:1F90": the address in words of the machine's own byte
// order, the port as a number.
func netEnd(text string) (netip.AddrPort, error) {
	address, port, _ := strings.Cut(text, ":")
	raw, err := hex.DecodeString(address)
	if err != nil {
		return netip.AddrPort{}, err
	}
	for i := 0; i+4 <= len(raw); i += 4 {
		binary.BigEndian.PutUint32(raw[i:], binary.NativeEndian.Uint32(raw[i:]))
	}
	addr, ok := netip.AddrFromSlice(raw)
	if !ok {
		return netip.AddrPort{}, fmt.Errorf("address %q", address)
	}
	number, err := strconv.ParseUint(port, 16, 16)
	return netip.AddrPortFrom(addr.Unmap(), uint16(number)), err
}

// parseNetUnix reads /proc/PID/net/unix after its heading line. The file does not
// name the other end, and shows "connected" even after that is closed: hasPeer stays
// false.
func parseNetUnix(data string) ([]unixSocket, error) {
	const accepting, connecting, connected = 0x10000, 2, 3 // connecting has not been accepted yet
	var sockets []unixSocket
	_, data, _ = strings.Cut(data, "\n")
	for line := range strings.Lines(data) {
		words := strings.SplitN(strings.Join(strings.Fields(line), " "), " ", 8)
		if len(words) < 7 {
			return nil, fmt.Errorf("socket line %q: too short", strings.TrimSpace(line))
		}
		flags, err := strconv.ParseUint(words[3], 16, 32)
		if err != nil {
			return nil, fmt.Errorf("socket line %q: %w", strings.TrimSpace(line), err)
		}
		state, _ := strconv.ParseUint(words[5], 16, 8)
		socket := unixSocket{}
		if socket.inode, err = strconv.ParseUint(words[6], 10, 64); err != nil {
			return nil, fmt.Errorf("socket line %q: %w", strings.TrimSpace(line), err)
		}
		switch {
		case flags&accepting != 0:
			socket.state = tcpListen
		case state == connecting, state == connected:
			socket.state = tcpEstablished
		}
		if len(words) == 8 {
			socket.name = words[7]
		}
		sockets = append(sockets, socket)
	}
	return sockets, nil
}

package scan

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// netLine is one line of a file of sockets; err is the first fault in it.
type netLine struct {
	words []string
	err   error
}

// eachSocket reads a file of sockets after its heading line.
func eachSocket(data string, words int, take func(line *netLine)) error {
	_, data, _ = strings.Cut(data, "\n")
	for text := range strings.Lines(data) {
		line := netLine{words: strings.Fields(text)}
		if len(line.words) < words {
			line.err = errors.New("too short")
		} else {
			take(&line)
		}
		if line.err != nil {
			return fmt.Errorf("socket line %q: %w", strings.TrimSpace(text), line.err)
		}
	}
	return nil
}

func (l *netLine) number(word, base int) uint64 {
	number, err := strconv.ParseUint(l.words[word], base, 64)
	l.err = cmp.Or(l.err, err)
	return number
}

// parseNetTCP reads /proc/PID/net/tcp or tcp6, or what of udp or udp6 receives from anybody.
func parseNetTCP(data string, udp bool) (sockets []tcpSocket, err error) {
	err = eachSocket(data, 10, func(line *netLine) {
		s := tcpSocket{local: line.end(1), remote: line.end(2), state: uint8(line.number(3, 16)), uid: int(line.number(7, 10)), inode: line.number(9, 10)}
		switch {
		case udp && s.state != tcpClose:
			return
		case udp:
			s.state = udpBound
		}
		sockets = append(sockets, s)
	})
	return sockets, err
}

// end reads "0100007F:1F90": the address in words of the machine's own byte
// order, the port as a number.
func (l *netLine) end(word int) netip.AddrPort {
	address, port, _ := strings.Cut(l.words[word], ":")
	raw, err := hex.DecodeString(address)
	number, failed := strconv.ParseUint(port, 16, 16)
	for i := 0; i+4 <= len(raw); i += 4 {
		binary.BigEndian.PutUint32(raw[i:], binary.NativeEndian.Uint32(raw[i:]))
	}
	addr, ok := netip.AddrFromSlice(raw)
	if err = cmp.Or(err, failed); err == nil && !ok {
		err = fmt.Errorf("address %q", address)
	}
	l.err = cmp.Or(l.err, err)
	return netip.AddrPortFrom(addr.Unmap(), uint16(number))
}

// parseNetUnix reads /proc/PID/net/unix. The file does not name the other end, and shows
// "connected" even after that is closed: hasPeer stays false.
func parseNetUnix(data string) (sockets []unixSocket, err error) {
	const accepting, connecting, connected = 0x10000, 2, 3 // connecting has not been accepted yet
	err = eachSocket(data, 7, func(line *netLine) {
		s := unixSocket{kind: uint8(line.number(4, 16)), state: tcpClose, inode: line.number(6, 10), uid: -1, name: strings.Join(line.words[7:], " ")}
		switch state := line.number(5, 16); {
		case line.number(3, 16)&accepting != 0:
			s.state = tcpListen
		case state == connecting, state == connected:
			s.state = tcpEstablished
		}
		sockets = append(sockets, s)
	})
	return sockets, err
}

package darwin

import "net/netip"

// State is a state of a TCP connection (TSI_S_… of bsd/sys/proc_info.h).
type State uint32

// The states that matter.
const (
	StateListen      State = 1
	StateEstablished State = 4
	StateTimeWait    State = 10
)

// TCP is one end of a TCP connection, or a listening socket. Handle is 0 if no
// process has it.
type TCP struct {
	Handle        uint64
	State         State
	Local, Remote netip.AddrPort
}

// decodeTCPList reads net.inet.tcp.pcblist_n: a header, several records for each
// connection, and the header again. Each record begins at a multiple of 8 with its
// length and kind. The list includes connections in TIME_WAIT, and other users'.
func decodeTCPList(data []byte) ([]TCP, error) {
	if len(data) < listHeadSize || number32(data, listLength) != listHeadSize {
		return nil, sizeError("struct xinpgen", len(data), listHeadSize)
	}
	var all []TCP
	for data = data[listHeadSize:]; len(data) > listHeadSize; {
		length := int(number32(data, listLength))
		if length < listKind+4 || length > len(data) { // the kind is 32 bits
			return nil, sizeError("net.inet.tcp.pcblist_n", length, len(data))
		}
		next := min((length+7)&^7, len(data))
		var err error
		if all, err = addRecord(all, data[:length]); err != nil {
			return nil, err
		}
		data = data[next:]
	}
	return all, nil
}

// addRecord reads one record. The first record of a connection begins a new one.
func addRecord(all []TCP, record []byte) ([]TCP, error) {
	kind := number32(record, listKind)
	if kind == listsPCB {
		if len(record) != listPCBSize {
			return nil, sizeError("struct xinpcb_n", len(record), listPCBSize)
		}
		version := record[listPCBVersion]
		return append(all, TCP{
			Local:  endpoint(version, record[listPCBLocal:], record[listPCBLocalPort:]),
			Remote: endpoint(version, record[listPCBRemote:], record[listPCBRemotePort:]),
		}), nil
	}
	if len(all) == 0 {
		return all, nil
	}
	last := &all[len(all)-1]
	switch kind {
	case listsSocket:
		if len(record) != listSocketSize {
			return nil, sizeError("struct xsocket_n", len(record), listSocketSize)
		}
		last.Handle = number64(record, listSocketHandle)
	case listsTCP:
		if len(record) != listTCPSize {
			return nil, sizeError("struct xtcpcb_n", len(record), listTCPSize)
		}
		last.State = State(number32(record, listTCPState))
	}
	return all, nil
}

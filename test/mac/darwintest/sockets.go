package darwintest

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// tcpList is what net.inet.tcp.pcblist_n gives.
func (k *Kernel) tcpList() []byte {
	head := k.encoder.Struct("xinpgen", map[string]any{"xig_len": k.encoder.size("xinpgen")})
	list := slices.Clone(head)
	for _, s := range k.tcpSockets() {
		list = append(list, k.tcpRecords(s)...)
	}
	return append(list, head...)
}

func (k *Kernel) tcpSockets() []*Socket {
	all := slices.Clone(k.connected)
	for _, pid := range sortedKeys(k.processes) {
		p := k.processes[pid]
		for _, fd := range sortedKeys(p.FDs) {
			if s := p.FDs[fd].socket; s != nil && !s.unix && !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// tcpRecords are the records of one connection, with two that nobody reads.
func (k *Kernel) tcpRecords(s *Socket) []byte {
	version, local := k.address(s.local)
	_, remote := k.address(s.remote)
	records := [][]byte{
		k.record("xinpcb_n", "xi_", "XSO_INPCB", map[string]any{"inp_vflag": version, "inp_dependladdr": local,
			"inp_dependfaddr": remote, "inp_lport": port(s.local), "inp_fport": port(s.remote)}),
		k.record("xsocket_n", "xso_", "XSO_SOCKET", map[string]any{"xso_so": s.handle}),
		append(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, 32), 0x2), bytes.Repeat([]byte{filler}, 24)...),
		k.record("xtcpcb_n", "xt_", "XSO_TCPCB", map[string]any{"t_state": s.state}),
	}
	var all []byte
	for _, record := range records {
		all = append(all, record...)
		all = append(all, make([]byte, -len(all)&7)...)
	}
	return all
}

func (k *Kernel) record(name, prefix, kind string, fields map[string]any) []byte {
	fields[prefix+"len"], fields[prefix+"kind"] = k.encoder.size(name), k.encoder.Constant(kind)
	return k.encoder.Struct(name, fields)
}

package darwin

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"testing"

	"github.com/reaperd/reaperd/test/mac/darwintest"
)

func headers(t *testing.T) []darwintest.Line {
	t.Helper()
	lines, err := darwintest.Headers()
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestTheTableIsWhatTheHeadersGive(t *testing.T) {
	var want []row
	for _, line := range headers(t) {
		want = append(want, row{Of: line.Of, Field: line.Field, Offset: line.Value, Size: line.Bytes, Header: line.Header})
	}
	got := layout()
	for _, row := range got {
		if !slices.Contains(want, row) {
			t.Errorf("%+v is not what the headers give", row)
		}
	}
	for _, row := range want {
		if !slices.Contains(got, row) {
			t.Errorf("the headers give %+v, which the table has not", row)
		}
	}
}

// fixture is a struct with known values in it, and what is read of them.
type fixture struct {
	of     string
	fields map[string]any
	read   func(data []byte) (any, error)
	want   any
}

// of is a decoder of data of one size.
func of[T any](size int, decode func([]byte) T) func([]byte) (any, error) {
	return func(data []byte) (any, error) {
		return ask(structure[T]{"struct", size, decode}, func(buffer []byte) (int, error) { copy(buffer, data); return len(data), nil })
	}
}

func bytesOf(last ...byte) []byte { return append(make([]byte, 16-len(last)), last...) }

func fixtures(e *darwintest.Encoder) []fixture {
	const un, tcp = "psi.soi_proto.pri_un.", "psi.soi_proto.pri_tcp."
	return []fixture{
		{"kinfo_proc", map[string]any{
			"kp_proc.p_starttime.tv_sec": 1_700_000_000, "kp_proc.p_starttime.tv_usec": 123_456, "kp_proc.p_stat": e.Constant("SSTOP"),
			"kp_proc.p_pid": 0x1234, "kp_proc.p_comm": "sixteen letters!", "kp_eproc.e_ucred.cr_uid": 0x1F5, "kp_eproc.e_ppid": 0x2345,
			"kp_eproc.e_pgid": 0x3456, "kp_eproc.e_tdev": 0x10000003,
		}, func(data []byte) (any, error) { return decodeTable(data) }, []Process{{PID: 0x1234, PPID: 0x2345, PGID: 0x3456, UID: 0x1F5,
			Start: 1_700_000_000_123_456, State: 'T', Comm: "sixteen letters!", TTY: 0x10000003}}},
		{"proc_uniqidentifierinfo", map[string]any{"p_uniqueid": 0x0102030405060708, "p_puniqueid": 0x1112131415161718, "p_idversion": 0x21222324},
			of(uniqueSize, decodeUnique), Identity{Unique: 0x0102030405060708, Parent: 0x1112131415161718, Version: 0x21222324}},
		{"proc_bsdinfowithuniqid", map[string]any{"pbsd.pbi_pid": 0x1234, "pbsd.pbi_start_tvsec": 1_700_000_000, "pbsd.pbi_start_tvusec": 654_321,
			"p_uniqidentifier.p_uniqueid": 0x0102030405060708, "p_uniqidentifier.p_puniqueid": 0x1112131415161718, "p_uniqidentifier.p_idversion": 0x21222324},
			of(bsdSize, func(data []byte) any { pid, id := decodeBSDUnique(data); return fmt.Sprint(pid, id) }),
			fmt.Sprint(0x1234, Identity{Unique: 0x0102030405060708, Parent: 0x1112131415161718, Version: 0x21222324, Start: 1_700_000_000_654_321})},
		{"proc_taskinfo", map[string]any{"pti_resident_size": 0x123456789, "pti_total_user": 0x1_0000_0001, "pti_total_system": 0x2_0000_0002, "pti_threadnum": 0x1234,
			"pti_messages_sent": 0x01020304, "pti_messages_received": 0x02030405, "pti_syscalls_mach": 0x03040506, "pti_syscalls_unix": 0x04050607, "pti_csw": 0x05060708},
			of(taskSize, decodeTask), Task{Resident: 0x123456789, Time: 0x3_0000_0003, Threads: 0x1234, Events: 0x0f14191e}},
		{"proc_taskinfo", map[string]any{"pti_resident_size": 1, "pti_total_user": 1, "pti_total_system": 1, "pti_threadnum": 1,
			"pti_messages_sent": 0, "pti_messages_received": 0, "pti_syscalls_mach": 0, "pti_syscalls_unix": 0x7fffffff, "pti_csw": 0},
			of(taskSize, decodeTask), Task{Resident: 1, Time: 2, Threads: 1, Events: 0x7fffffff, Full: true}},
		{"proc_vnodepathinfo", map[string]any{"pvi_cdir.vip_path": "/Users/a/b"},
			of(pathsSize, func(data []byte) string { return text(data[pathsCwd : pathsCwd+1024]) }), "/Users/a/b"},
		{"rusage_info_v2", map[string]any{"ri_phys_footprint": 0x123456789, "ri_diskio_bytesread": 0x0102030405060708, "ri_diskio_byteswritten": 0x1112131415161718},
			of(usageSize, decodeUsage), Usage{Footprint: 0x123456789, Disk: 0x121416181a1c1e20}},
		{"proc_fdinfo", map[string]any{"proc_fd": 0x1234, "proc_fdtype": e.Constant("PROX_FDTYPE_PIPE")},
			of(descriptorSize, decodeDescriptors), []Descriptor{{0x1234, TypePipe}}},
		{"vnode_fdinfo", map[string]any{"pvi.vi_stat.vst_mode": 0o020666, "pvi.vi_stat.vst_nlink": 3, "pvi.vi_stat.vst_dev": 0x01020304, "pvi.vi_stat.vst_ino": 0x0102030405060708, "pvi.vi_stat.vst_rdev": 0x03000002},
			of(vnodeSize, decodeVnode), Vnode{Mode: 0o020666, Links: 3, Device: 0x01020304, Inode: 0x0102030405060708, Special: 0x03000002}},
		{"pipe_fdinfo", map[string]any{"pipeinfo.pipe_handle": 0x0102030405060708,
			"pipeinfo.pipe_peerhandle": 0x1112131415161718, "pipeinfo.pipe_status": e.Constant("PIPE_EOF")},
			of(pipeSize, decodePipe), Pipe{Handle: 0x0102030405060708, Peer: 0x1112131415161718, Status: pipeEnded}},
		{"socket_fdinfo", map[string]any{"psi.soi_so": 0x0102030405060708, "psi.soi_type": e.Constant("SOCK_STREAM"), "psi.soi_family": e.Constant("AF_UNIX"),
			"psi.soi_options": e.Constant("SO_ACCEPTCONN"), "psi.soi_state": e.Constant("SOI_S_ISDISCONNECTED"), "psi.soi_kind": e.Constant("SOCKINFO_UN"),
			un + "unsi_conn_so": 0x1112131415161718, un + "unsi_conn_pcb": 0x2122232425262728, un + "unsi_addr": "\x0b\x01/tmp/sock"},
			of(socketSize, decodeSocket), Socket{Handle: 0x0102030405060708, Family: familyUnix, Stream: true, Listening: true, State: isDisconnected, kind: kindUnix,
				Peer: 0x1112131415161718, PeerBlock: 0x2122232425262728, Path: "/tmp/sock"}},
		{"socket_fdinfo", map[string]any{"psi.soi_so": 0x0102030405060708, "psi.soi_type": 1, "psi.soi_family": 2, "psi.soi_options": 0, "psi.soi_state": 2,
			"psi.soi_kind": e.Constant("SOCKINFO_TCP"), tcp + "tcpsi_ini.insi_vflag": e.Constant("INI_IPV4"), tcp + "tcpsi_state": e.Constant("TSI_S_ESTABLISHED"),
			tcp + "tcpsi_ini.insi_laddr": bytesOf(127, 0, 0, 1), tcp + "tcpsi_ini.insi_faddr": bytesOf(10, 1, 2, 3),
			tcp + "tcpsi_ini.insi_lport": []byte{0x1f, 0x90}, tcp + "tcpsi_ini.insi_fport": []byte{0xc0, 0x01}},
			of(socketSize, func(data []byte) TCP { return decodeSocket(data).TCP }), TCP{Handle: 0x0102030405060708, State: StateEstablished,
				Local: netip.MustParseAddrPort("127.0.0.1:8080"), Remote: netip.MustParseAddrPort("10.1.2.3:49153")}},
		{"socket_fdinfo", map[string]any{"psi.soi_so": 7, "psi.soi_kind": e.Constant("SOCKINFO_TCP"), tcp + "tcpsi_ini.insi_vflag": e.Constant("INI_IPV6"),
			tcp + "tcpsi_state": e.Constant("TSI_S_LISTEN"), tcp + "tcpsi_ini.insi_laddr": bytesOf(1), tcp + "tcpsi_ini.insi_faddr": bytesOf(0),
			tcp + "tcpsi_ini.insi_lport": []byte{0x1f, 0x90}, tcp + "tcpsi_ini.insi_fport": []byte{0, 0}},
			of(socketSize, func(data []byte) TCP { return decodeSocket(data).TCP }), TCP{Handle: 7, State: StateListen,
				Local: netip.MustParseAddrPort("[::1]:8080"), Remote: netip.MustParseAddrPort("[::]:0")}},
		{"pipe_fdinfo", map[string]any{"pipeinfo.pipe_handle": 5, "pipeinfo.pipe_peerhandle": 0,
			"pipeinfo.pipe_status": e.Constant("PIPE_EOF") | e.Constant("PIPE_DRAIN")},
			of(pipeSize, func(data []byte) any { return decodePipe(data).Other() }), EndUnknown},
		{"proc_fdinfo", map[string]any{"proc_fd": 0, "proc_fdtype": e.Constant("PROX_FDTYPE_SOCKET")}, of(descriptorSize, decodeDescriptors), []Descriptor{{0, TypeSocket}}},
		{"proc_fdinfo", map[string]any{"proc_fd": 1, "proc_fdtype": e.Constant("PROX_FDTYPE_VNODE")}, of(descriptorSize, decodeDescriptors), []Descriptor{{1, TypeVnode}}},
		inState(e, "SIDL", 'I'), inState(e, "SRUN", 'R'), inState(e, "SSLEEP", 'S'), inState(e, "SZOMB", 'Z'),
	}
}

// inState is a row of the table of which only the state is looked at.
func inState(e *darwintest.Encoder, name string, letter byte) fixture {
	return fixture{"kinfo_proc", map[string]any{"kp_proc.p_stat": e.Constant(name), "kp_proc.p_pid": 1},
		func(data []byte) (any, error) {
			rows, err := decodeTable(data)
			if err != nil {
				return nil, err
			}
			return rows[0].State, nil
		}, letter}
}

// tcpList is a list of one connection.
func tcpList(e *darwintest.Encoder, sizes map[string]int) []byte {
	head := e.Struct("xinpgen", map[string]any{"xig_len": sizes["xinpgen"]})
	list := slices.Clone(head)
	for _, record := range [][]byte{
		e.Struct("xinpcb_n", map[string]any{"xi_len": sizes["xinpcb_n"], "xi_kind": e.Constant("XSO_INPCB"), "inp_vflag": e.Constant("INI_IPV6"),
			"inp_dependladdr": bytesOf(1), "inp_dependfaddr": bytesOf(9, 8, 7, 6, 5, 4, 3, 2, 1), "inp_lport": []byte{0x1f, 0x90}, "inp_fport": []byte{0xc0, 0x01}}),
		e.Struct("xsocket_n", map[string]any{"xso_len": sizes["xsocket_n"], "xso_kind": e.Constant("XSO_SOCKET"), "xso_so": 0x0102030405060708}),
		e.Struct("xtcpcb_n", map[string]any{"xt_len": sizes["xtcpcb_n"], "xt_kind": e.Constant("XSO_TCPCB"), "t_state": e.Constant("TSI_S_TIME_WAIT")}),
	} {
		list = append(list, record...)
		list = append(list, make([]byte, -len(list)&7)...)
	}
	return append(list, head...)
}

func tcpWanted() []TCP {
	return []TCP{{Handle: 0x0102030405060708, State: StateTimeWait, Local: netip.MustParseAddrPort("[::1]:8080"),
		Remote: netip.MustParseAddrPort("[::9:807:605:403:201]:49153")}}
}

func sizesOf(lines []darwintest.Line) map[string]int {
	sizes := map[string]int{}
	for _, line := range lines {
		if line.Kind == "size" {
			sizes[line.Of] = line.Bytes
		}
	}
	return sizes
}

func TestEveryStructIsReadAsItWasWritten(t *testing.T) {
	lines := headers(t)
	encoder := darwintest.NewEncoder(lines)
	for _, f := range fixtures(encoder) {
		if got, err := f.read(encoder.Struct(f.of, f.fields)); err != nil || !reflect.DeepEqual(got, f.want) {
			t.Errorf("struct %s: got %+v, %v, want %+v", f.of, got, err, f.want)
		}
	}
	if got, err := decodeTCPList(tcpList(encoder, sizesOf(lines))); err != nil || !slices.Equal(got, tcpWanted()) {
		t.Errorf("TCP sockets: got %+v, %v", got, err)
	}
}

// holds reports whether everything is read as it was written by these lines.
func holds(lines []darwintest.Line) bool {
	encoder := darwintest.NewEncoder(lines)
	for _, f := range fixtures(encoder) {
		if got, err := f.read(encoder.Struct(f.of, f.fields)); err != nil || !reflect.DeepEqual(got, f.want) {
			return false
		}
	}
	got, err := decodeTCPList(tcpList(encoder, sizesOf(lines)))
	return err == nil && slices.Equal(got, tcpWanted())
}

// TestAByteWrongIsSeen moves each field by a byte, makes each struct larger and
// smaller by one and changes each constant, one at a time: each must break a
// fixture.
func TestAByteWrongIsSeen(t *testing.T) {
	lines := headers(t)
	asked := []string{ // what is asked for, which the played kernel compares
		"PROC_PIDLISTFDS", "PROC_PIDTASKINFO", "PROC_PIDVNODEPATHINFO", "PROC_PIDUNIQIDENTIFIERINFO", "PROC_PIDT_BSDINFOWITHUNIQID",
		"PROC_PIDFDVNODEINFO", "PROC_PIDFDSOCKETINFO", "PROC_PIDFDPIPEINFO",
	}
	silent := []string{ // what no answer shows: the flavor of a call that has no other, and what IPv6 leaves over
		"RUSAGE_INFO_V2", "INI_IPV4",
	}
	for i, line := range lines {
		for _, by := range []int{-1, 1} {
			changed := slices.Clone(lines)
			switch {
			case line.Kind == "size":
				changed[i].Bytes += by
			case line.Kind == "const" && by > 0: // a mark stays one
				changed[i].Value *= 2
			default:
				changed[i].Value += by
			}
			switch {
			case changed[i].Value < 0, slices.Contains(silent, line.Of):
			case slices.Contains(asked, line.Of):
				if readsAll(darwintest.NewKernelOf(darwintest.NewEncoder(changed))) {
					t.Errorf("%s %+d: nothing sees it", line.Of, by)
				}
			case holds(changed):
				t.Errorf("%s %s %s %+d: no fixture sees it", line.Kind, line.Of, line.Field, by)
			}
		}
	}
	if kernel := darwintest.NewKernel(); !holds(lines) || !readsAll(kernel) {
		t.Error("the lines as they are do not hold")
	}
}

// readsAll reports whether everything that is asked of a kernel is answered.
func readsAll(k *darwintest.Kernel) bool {
	read, _ := k.Pipe()
	one, _ := k.Pair()
	p := k.Spawn(nil, darwintest.Spec{FDs: map[int]*darwintest.File{0: read, 1: one, 2: darwintest.Null()}})
	_, identified := Identify(k, p.PID)
	_, unique := IdentityOf(k, p.PID)
	_, cwd := CwdOf(k, p.PID)
	_, task := TaskOf(k, p.PID)
	list, descriptors := DescriptorsOf(k, p.PID)
	_, pipe := PipeAt(k, p.PID, 0)
	_, socket := SocketAt(k, p.PID, 1)
	_, vnode := VnodeAt(k, p.PID, 2)
	return errors.Join(identified, unique, cwd, task, descriptors, pipe, socket, vnode) == nil && len(list) == 3
}

func TestTheTokenNamesPIDAndVersion(t *testing.T) {
	named := token(0x1234, 0x5678)
	if len(named) != 32 || binary.LittleEndian.Uint32(named[20:]) != 0x1234 || binary.LittleEndian.Uint32(named[28:]) != 0x5678 {
		t.Errorf("got % x", named)
	}
}

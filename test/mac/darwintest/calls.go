package darwintest

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"syscall"
)

func numberAt(data []byte, at int) uint32 { return binary.LittleEndian.Uint32(data[at:]) }

// before lets the test change the world, or fail the call.
func (k *Kernel) before(format string, arguments ...any) error {
	if k.Before == nil {
		return nil
	}
	return k.Before(fmt.Sprintf(format, arguments...))
}

// give copies an answer into a buffer, which must have room for it.
func give(answer, buffer []byte) (int, error) {
	if len(buffer) < len(answer) {
		return 0, syscall.ENOMEM
	}
	return copy(buffer, answer), nil
}

// mayRead reports whether the asker may look into a process.
func (k *Kernel) mayRead(p *Process) bool { return k.UID == 0 || k.UID == p.UID }

// PIDInfo is proc_pidinfo.
func (k *Kernel) PIDInfo(pid, flavor int, arg uint64, buffer []byte) (int, error) {
	if err := k.before("pidinfo %d %d", flavor, pid); err != nil {
		return 0, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	is := func(name string) bool { return flavor == k.encoder.Constant(name) }
	p := k.processes[pid]
	unique, both := is("PROC_PIDUNIQIDENTIFIERINFO"), is("PROC_PIDT_BSDINFOWITHUNIQID")
	switch {
	case p == nil || p.Zombie && (arg == 0 || !unique && !both):
		return 0, syscall.ESRCH
	case unique:
		return give(k.encoder.Struct("proc_uniqidentifierinfo", map[string]any{
			"p_uniqueid": p.Unique, "p_puniqueid": p.Origin, "p_idversion": int(p.Version)}), buffer)
	case !k.mayRead(p):
		return 0, syscall.EPERM
	case both:
		return give(k.bsdInfo(p), buffer)
	case is("PROC_PIDTASKINFO"):
		return give(k.encoder.Struct("proc_taskinfo", map[string]any{
			"pti_resident_size": p.Footprint * 2, "pti_total_user": p.ticks, "pti_total_system": p.ticks, "pti_threadnum": p.Threads,
			"pti_messages_sent": 0, "pti_messages_received": 0, "pti_syscalls_mach": 0, "pti_syscalls_unix": p.calls, "pti_csw": 0}), buffer)
	case is("PROC_PIDVNODEPATHINFO"):
		return give(k.encoder.Struct("proc_vnodepathinfo", map[string]any{"pvi_cdir.vip_path": cmp.Or(p.Cwd, "/")}), buffer)
	case is("PROC_PIDLISTFDS"):
		return k.descriptors(p, buffer)
	}
	return 0, syscall.EINVAL
}

func (k *Kernel) bsdInfo(p *Process) []byte {
	return k.encoder.Struct("proc_bsdinfowithuniqid", map[string]any{
		"pbsd.pbi_pid": p.PID, "pbsd.pbi_start_tvsec": int(p.Start.Unix()), "pbsd.pbi_start_tvusec": p.Start.Nanosecond() / 1000,
		"p_uniqidentifier.p_uniqueid": p.Unique, "p_uniqidentifier.p_puniqueid": p.Origin, "p_uniqidentifier.p_idversion": int(p.Version)})
}

// descriptors lists as many as there is room for, and says nothing of the rest.
func (k *Kernel) descriptors(p *Process, buffer []byte) (int, error) {
	row := k.encoder.size("proc_fdinfo")
	if buffer == nil {
		return (len(p.FDs) + 20) * row, nil
	}
	if len(buffer) < row {
		return 0, syscall.ENOMEM
	}
	var list []byte
	for _, fd := range sortedKeys(p.FDs) {
		list = append(list, k.encoder.Struct("proc_fdinfo", map[string]any{"proc_fd": fd, "proc_fdtype": k.typeOf(p.FDs[fd])})...)
	}
	return copy(buffer[:len(buffer)/row*row], list), nil
}

func (k *Kernel) typeOf(file *File) int {
	switch {
	case file.pipe != nil:
		return k.encoder.Constant("PROX_FDTYPE_PIPE")
	case file.socket != nil:
		return k.encoder.Constant("PROX_FDTYPE_SOCKET")
	case file.vnode != nil:
		return k.encoder.Constant("PROX_FDTYPE_VNODE")
	}
	return 5 // PROX_FDTYPE_KQUEUE
}

// FDInfo is proc_pidfdinfo.
func (k *Kernel) FDInfo(pid, fd, flavor int, buffer []byte) (int, error) {
	if err := k.before("fdinfo %d %d %d", flavor, pid, fd); err != nil {
		return 0, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.processes[pid]
	switch {
	case p == nil || p.Zombie:
		return 0, syscall.ESRCH
	case !k.mayRead(p):
		return 0, syscall.EPERM
	}
	file := p.FDs[fd]
	if file == nil {
		file = &File{}
	}
	switch {
	case flavor == k.encoder.Constant("PROC_PIDFDPIPEINFO") && file.pipe != nil:
		return give(k.pipeInfo(file), buffer)
	case flavor == k.encoder.Constant("PROC_PIDFDSOCKETINFO") && file.socket != nil:
		return give(k.socketInfo(file.socket), buffer)
	case flavor == k.encoder.Constant("PROC_PIDFDSOCKETINFO"):
		return 0, syscall.ENOTSOCK
	case flavor == k.encoder.Constant("PROC_PIDFDVNODEINFO") && file.vnode != nil:
		v := file.vnode
		return give(k.encoder.Struct("vnode_fdinfo", map[string]any{
			"pvi.vi_stat.vst_mode": v.mode, "pvi.vi_stat.vst_nlink": v.links, "pvi.vi_stat.vst_dev": v.device, "pvi.vi_stat.vst_ino": v.inode, "pvi.vi_stat.vst_rdev": int(v.special)}), buffer)
	}
	return 0, syscall.EBADF
}

func (k *Kernel) pipeInfo(file *File) []byte {
	peer := uint64(0)
	if file.pipe.peer != nil {
		peer = file.pipe.peer.handle
	}
	return k.encoder.Struct("pipe_fdinfo", map[string]any{
		"pipeinfo.pipe_handle": file.pipe.handle, "pipeinfo.pipe_peerhandle": peer, "pipeinfo.pipe_status": file.pipe.status})
}

func (k *Kernel) socketInfo(s *Socket) []byte {
	fields := map[string]any{"psi.soi_so": s.handle, "psi.soi_type": k.encoder.Constant("SOCK_STREAM"), "psi.soi_options": 0, "psi.soi_state": k.stateOf(s)}
	if s.listening {
		fields["psi.soi_options"] = k.encoder.Constant("SO_ACCEPTCONN")
	}
	if !s.unix {
		k.addTCP(fields, s)
		return k.encoder.Struct("socket_fdinfo", fields)
	}
	fields["psi.soi_family"], fields["psi.soi_kind"] = k.encoder.Constant("AF_UNIX"), k.encoder.Constant("SOCKINFO_UN")
	peer := uint64(0)
	if s.peer != nil {
		peer = s.peer.handle
	}
	fields["psi.soi_proto.pri_un.unsi_conn_so"], fields["psi.soi_proto.pri_un.unsi_conn_pcb"] = peer, peer^0x55*min(peer, 1)
	fields["psi.soi_proto.pri_un.unsi_addr"] = []byte{0, 0}
	if s.path != "" {
		fields["psi.soi_proto.pri_un.unsi_addr"] = append([]byte{byte(len(s.path) + 2), 1}, s.path...)
	}
	return k.encoder.Struct("socket_fdinfo", fields)
}

// stateOf are the marks of a socket's state: connected, cannot receive, severed.
func (k *Kernel) stateOf(s *Socket) int {
	state := 0
	if s.peer != nil {
		state |= 0x2
	}
	if s.shutdown || s.severed {
		state |= 0x20
	}
	if s.severed {
		state |= 0x10 | k.encoder.Constant("SOI_S_ISDISCONNECTED")
	}
	return state
}

func (k *Kernel) addTCP(fields map[string]any, s *Socket) {
	const tcp = "psi.soi_proto.pri_tcp."
	fields["psi.soi_family"], fields["psi.soi_kind"] = 2, k.encoder.Constant("SOCKINFO_TCP")
	fields[tcp+"tcpsi_state"] = s.state
	version, local := k.address(s.local)
	_, remote := k.address(s.remote)
	fields[tcp+"tcpsi_ini.insi_vflag"], fields[tcp+"tcpsi_ini.insi_laddr"], fields[tcp+"tcpsi_ini.insi_faddr"] = version, local, remote
	fields[tcp+"tcpsi_ini.insi_lport"], fields[tcp+"tcpsi_ini.insi_fport"] = port(s.local), port(s.remote)
}

// address is an address in 16 bytes, of which IPv4 has the last four.
func (k *Kernel) address(at netip.AddrPort) (version int, data []byte) {
	if at.Addr().Is6() {
		as := at.Addr().As16()
		return k.encoder.Constant("INI_IPV6"), as[:]
	}
	data = make([]byte, 16)
	if at.Addr().Is4() {
		as := at.Addr().As4()
		copy(data[12:], as[:])
	}
	return k.encoder.Constant("INI_IPV4"), data
}

func port(at netip.AddrPort) []byte { return binary.BigEndian.AppendUint16(nil, at.Port()) }

// Usage is proc_pid_rusage.
func (k *Kernel) Usage(pid int, buffer []byte) error {
	if err := k.before("usage %d", pid); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.processes[pid]
	switch {
	case p == nil:
		return syscall.ESRCH
	case !k.mayRead(p):
		return syscall.EPERM
	}
	_, err := give(k.encoder.Struct("rusage_info_v2", map[string]any{"ri_phys_footprint": p.Footprint, "ri_diskio_bytesread": 0, "ri_diskio_byteswritten": p.disk}), buffer)
	return err
}

// SessionOf is getsid.
func (k *Kernel) SessionOf(pid int) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.processes[pid]
	if p == nil || p.Zombie {
		return 0, syscall.ESRCH
	}
	return p.SID, nil
}

// Sysctl reads what stands under a name.
func (k *Kernel) Sysctl(name string, index int, buffer []byte) (int, error) {
	if err := k.before("sysctl %s", name); err != nil {
		return 0, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	answer, err := k.sysctl(name, index)
	switch {
	case err != nil:
		return 0, err
	case buffer == nil:
		return len(answer), nil
	case name == "kern.procargs2" && len(buffer)-4 > 1<<20: // ARG_MAX
		return 0, syscall.EINVAL
	case name == "kern.procargs2" && len(buffer) < len(answer): // the last bytes, behind the number of arguments
		copy(buffer[copy(buffer, answer[:4]):], answer[len(answer)-len(buffer)+4:])
		return len(buffer), nil
	}
	return give(answer, buffer)
}

func (k *Kernel) sysctl(name string, index int) ([]byte, error) {
	switch name {
	case "kern.proc.all":
		return k.table(), nil
	case "kern.procargs2":
		return k.arguments(index)
	case "net.inet.tcp.pcblist_n":
		return k.tcpList(), nil
	case "hw.tbfrequency":
		return binary.LittleEndian.AppendUint64(nil, 24_000_000), nil
	case "kern.bootsessionuuid":
		return []byte("5E6A2F0C-0000-4000-8000-00000000BEEF\x00"), nil
	}
	return nil, syscall.ENOENT
}

func (k *Kernel) table() []byte {
	var table []byte
	for _, pid := range slices.Backward(sortedKeys(k.processes)) { // newest first, as the kernel has it
		table = append(table, k.row(k.processes[pid])...)
	}
	return table
}

func (k *Kernel) row(p *Process) []byte {
	state, parent, terminal := "SRUN", 0, ^uint32(0)
	if p.Stopped {
		state = "SSTOP"
	}
	if p.Zombie {
		state = "SZOMB"
	}
	if p.Parent != nil {
		parent = p.Parent.PID
	}
	if p.TTY != 0 {
		terminal = p.TTY
	}
	return k.encoder.Struct("kinfo_proc", map[string]any{
		"kp_proc.p_starttime.tv_sec": int(p.Start.Unix()), "kp_proc.p_starttime.tv_usec": p.Start.Nanosecond() / 1000,
		"kp_proc.p_stat": k.encoder.Constant(state), "kp_proc.p_pid": p.PID, "kp_proc.p_comm": p.Comm[:min(16, len(p.Comm))],
		"kp_eproc.e_ucred.cr_uid": p.UID, "kp_eproc.e_ppid": parent, "kp_eproc.e_pgid": p.PGID, "kp_eproc.e_tdev": int(terminal)})
}

// arguments is what kern.procargs2 gives: the path padded to a word, arguments,
// environment, and what the kernel adds for the loader; of a restricted program
// nothing behind the arguments.
func (k *Kernel) arguments(pid int) ([]byte, error) {
	p := k.processes[pid]
	if p == nil || p.Zombie || !k.mayRead(p) {
		return nil, syscall.EINVAL
	}
	answer := binary.LittleEndian.AppendUint32(nil, uint32(len(p.Argv)))
	answer = append(answer, p.Exe...)
	answer = append(answer, make([]byte, 8-len(p.Exe)%8)...)
	answer = append(answer, joined(p.Argv)...)
	if !p.Restricted {
		answer = append(answer, joined(append(slices.Clone(p.Env), "", "ptr_munge=", "main_stack="))...)
	}
	return answer, nil
}

func joined(words []string) []byte {
	var all []byte
	for _, word := range words {
		all = append(append(all, word...), 0)
	}
	return all
}

// Launchctl prints the domains: a user's, and the system's, which has root's jobs.
func (k *Kernel) Launchctl(_ context.Context, arguments ...string) ([]byte, error) {
	if err := k.before("launchctl"); err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	domain := arguments[len(arguments)-1]
	var out strings.Builder
	fmt.Fprintf(&out, "%s = {\n\ttype = login\n\tactive count = %d\n\n\tservices = {\n\t\t       0      - \tcom.apple.idle\n", domain, len(k.jobs))
	for _, pid := range sortedKeys(k.jobs) {
		p := k.processes[pid]
		if p != nil && (domain == "system" && p.UID == 0 || domain == fmt.Sprintf("gui/%d", p.UID)) {
			fmt.Fprintf(&out, "\t\t%8d      - \t%s\n", pid, k.jobs[pid])
		}
	}
	out.WriteString("\t}\n\n\tunmanaged processes = {\n\t}\n}\n")
	return []byte(out.String()), nil
}

func sortedKeys[V any](of map[int]V) []int {
	keys := make([]int, 0, len(of))
	for key := range of {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

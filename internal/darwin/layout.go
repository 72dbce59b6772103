package darwin

// Sizes and offsets, in bytes, of what XNU fills in, the same on both
// processors. [Layout] says where each comes from.
const (
	kinfoSize    = 648
	kinfoSeconds = 0
	kinfoMicros  = 8
	kinfoState   = 36
	kinfoPID     = 40
	kinfoComm    = 243
	kinfoUID     = 420
	kinfoPPID    = 560
	kinfoPGID    = 564
	kinfoTTY     = 572

	uniqueSize    = 56
	uniqueSelf    = 16
	uniqueParent  = 24
	uniqueVersion = 32

	bsdSize    = 192
	bsdPID     = 12
	bsdSeconds = 120
	bsdMicros  = 128
	bsdSelf    = 152
	bsdParent  = 160
	bsdVersion = 168

	taskSize     = 96
	taskResident = 8
	taskUser     = 16
	taskSystem   = 24
	taskThreads  = 84

	pathsSize = 2352
	pathsCwd  = 152

	usageSize      = 160
	usageFootprint = 72

	descriptorSize   = 8
	descriptorNumber = 0
	descriptorType   = 4

	vnodeSize    = 176
	vnodeDevice  = 24
	vnodeMode    = 28
	vnodeInode   = 32
	vnodeSpecial = 140

	pipeSize   = 184
	pipeFlags  = 0
	pipeHandle = 160
	pipePeer   = 168
	pipeStatus = 176

	socketSize    = 792
	socketHandle  = 160
	socketType    = 176
	socketFamily  = 184
	socketOptions = 188
	socketState   = 192
	socketKind    = 256
	unixPeer      = 264
	unixPeerBlock = 272
	unixAddress   = 280
	tcpRemotePort = 264
	tcpLocalPort  = 268
	tcpVersion    = 288
	tcpRemote     = 296
	tcpLocal      = 312
	tcpState      = 344

	listHeadSize = 24
	listLength   = 0
	listKind     = 4

	listPCBSize       = 104
	listPCBRemotePort = 16
	listPCBLocalPort  = 18
	listPCBVersion    = 44
	listPCBRemote     = 48
	listPCBLocal      = 64
	listSocketSize    = 104
	listSocketHandle  = 8
	listTCPSize       = 204
	listTCPState      = 36
)

// What is asked for, and what the answers say.
const (
	flavorDescriptors = 1
	flavorTask        = 4
	flavorPaths       = 9
	flavorUnique      = 17
	flavorBSDUnique   = 18
	flavorVnode       = 1
	flavorSocket      = 3
	flavorPipe        = 6
	flavorUsage       = 2

	typeVnode  = 1
	typeSocket = 2
	typePipe   = 6

	kindTCP  = 2
	kindUnix = 3

	familyUnix     = 1
	typeStream     = 1
	isDisconnected = 0x2000
	acceptsConnect = 0x2
	versionIPv4    = 0x1
	versionIPv6    = 0x2

	stateListen      = 1
	stateEstablished = 4
	stateTimeWait    = 10

	pipeEnded    = 0x80
	pipeDraining = 0x2000
	opensRead    = 0x1
	opensWrite   = 0x2

	listsSocket = 0x1
	listsPCB    = 0x10
	listsTCP    = 0x20

	stateIdle     = 1
	stateRunning  = 2
	stateSleeping = 3
	stateStopped  = 4
	stateZombie   = 5
)

// Row is one line of the table: a field (offset and size), a struct (size, with
// an empty field) or a constant (its value as offset, with an empty field and
// size 0).
type Row struct {
	Of, Field    string
	Offset, Size int
	Header       string // of XNU 8796 (macOS 13.3), 10063 (14.4) and 11417 (15.4), where they are equal
}

// Layout is the table of all that this package knows of the kernel's structs.
func Layout() []Row {
	const (
		sysctl    = "bsd/sys/sysctl.h"
		info      = "bsd/sys/proc_info.h"
		private   = "bsd/sys/proc_info_private.h"
		resource  = "bsd/sys/resource.h"
		pcb       = "bsd/netinet/in_pcb.h"
		socketvar = "bsd/sys/socketvar.h"
		tcp       = "bsd/netinet/tcp_var.h"
	)
	return append([]Row{
		{"kinfo_proc", "", 0, kinfoSize, sysctl},
		{"kinfo_proc", "kp_proc.p_starttime.tv_sec", kinfoSeconds, 8, sysctl},
		{"kinfo_proc", "kp_proc.p_starttime.tv_usec", kinfoMicros, 4, sysctl},
		{"kinfo_proc", "kp_proc.p_stat", kinfoState, 1, sysctl},
		{"kinfo_proc", "kp_proc.p_pid", kinfoPID, 4, sysctl},
		{"kinfo_proc", "kp_proc.p_comm", kinfoComm, 17, sysctl},
		{"kinfo_proc", "kp_eproc.e_ucred.cr_uid", kinfoUID, 4, sysctl},
		{"kinfo_proc", "kp_eproc.e_ppid", kinfoPPID, 4, sysctl},
		{"kinfo_proc", "kp_eproc.e_pgid", kinfoPGID, 4, sysctl},
		{"kinfo_proc", "kp_eproc.e_tdev", kinfoTTY, 4, sysctl},
		{"proc_uniqidentifierinfo", "", 0, uniqueSize, private},
		{"proc_uniqidentifierinfo", "p_uniqueid", uniqueSelf, 8, private},
		{"proc_uniqidentifierinfo", "p_puniqueid", uniqueParent, 8, private},
		{"proc_uniqidentifierinfo", "p_idversion", uniqueVersion, 4, private},
		{"proc_bsdinfowithuniqid", "", 0, bsdSize, private},
		{"proc_bsdinfowithuniqid", "pbsd.pbi_pid", bsdPID, 4, private},
		{"proc_bsdinfowithuniqid", "pbsd.pbi_start_tvsec", bsdSeconds, 8, private},
		{"proc_bsdinfowithuniqid", "pbsd.pbi_start_tvusec", bsdMicros, 8, private},
		{"proc_bsdinfowithuniqid", "p_uniqidentifier.p_uniqueid", bsdSelf, 8, private},
		{"proc_bsdinfowithuniqid", "p_uniqidentifier.p_puniqueid", bsdParent, 8, private},
		{"proc_bsdinfowithuniqid", "p_uniqidentifier.p_idversion", bsdVersion, 4, private},
		{"proc_taskinfo", "", 0, taskSize, info},
		{"proc_taskinfo", "pti_resident_size", taskResident, 8, info},
		{"proc_taskinfo", "pti_total_user", taskUser, 8, info},
		{"proc_taskinfo", "pti_total_system", taskSystem, 8, info},
		{"proc_taskinfo", "pti_threadnum", taskThreads, 4, info},
		{"proc_vnodepathinfo", "", 0, pathsSize, info},
		{"proc_vnodepathinfo", "pvi_cdir.vip_path", pathsCwd, 1024, info},
		{"rusage_info_v2", "", 0, usageSize, resource},
		{"rusage_info_v2", "ri_phys_footprint", usageFootprint, 8, resource},
		{"proc_fdinfo", "", 0, descriptorSize, info},
		{"proc_fdinfo", "proc_fd", descriptorNumber, 4, info},
		{"proc_fdinfo", "proc_fdtype", descriptorType, 4, info},
		{"vnode_fdinfo", "", 0, vnodeSize, info},
		{"vnode_fdinfo", "pvi.vi_stat.vst_mode", vnodeMode, 2, info},
		{"vnode_fdinfo", "pvi.vi_stat.vst_dev", vnodeDevice, 4, info},
		{"vnode_fdinfo", "pvi.vi_stat.vst_ino", vnodeInode, 8, info},
		{"vnode_fdinfo", "pvi.vi_stat.vst_rdev", vnodeSpecial, 4, info},
		{"pipe_fdinfo", "", 0, pipeSize, info},
		{"pipe_fdinfo", "pfi.fi_openflags", pipeFlags, 4, info},
		{"pipe_fdinfo", "pipeinfo.pipe_handle", pipeHandle, 8, info},
		{"pipe_fdinfo", "pipeinfo.pipe_peerhandle", pipePeer, 8, info},
		{"pipe_fdinfo", "pipeinfo.pipe_status", pipeStatus, 4, info},
		{"socket_fdinfo", "", 0, socketSize, info},
		{"socket_fdinfo", "psi.soi_so", socketHandle, 8, info},
		{"socket_fdinfo", "psi.soi_type", socketType, 4, info},
		{"socket_fdinfo", "psi.soi_family", socketFamily, 4, info},
		{"socket_fdinfo", "psi.soi_options", socketOptions, 2, info},
		{"socket_fdinfo", "psi.soi_state", socketState, 2, info},
		{"socket_fdinfo", "psi.soi_kind", socketKind, 4, info},
		{"socket_fdinfo", "psi.soi_proto.pri_un.unsi_conn_so", unixPeer, 8, info},
		{"socket_fdinfo", "psi.soi_proto.pri_un.unsi_conn_pcb", unixPeerBlock, 8, info},
		{"socket_fdinfo", "psi.soi_proto.pri_un.unsi_addr", unixAddress, 255, info},
		{"socket_fdinfo", "psi.soi_proto.pri_tcp.tcpsi_ini.insi_fport", tcpRemotePort, 4, info},
		{"socket_fdinfo", "psi.soi_proto.pri_tcp.tcpsi_ini.insi_lport", tcpLocalPort, 4, info},
		{"socket_fdinfo", "psi.soi_proto.pri_tcp.tcpsi_ini.insi_vflag", tcpVersion, 1, info},
		{"socket_fdinfo", "psi.soi_proto.pri_tcp.tcpsi_ini.insi_faddr", tcpRemote, 16, info},
		{"socket_fdinfo", "psi.soi_proto.pri_tcp.tcpsi_ini.insi_laddr", tcpLocal, 16, info},
		{"socket_fdinfo", "psi.soi_proto.pri_tcp.tcpsi_state", tcpState, 4, info},
		{"xinpgen", "", 0, listHeadSize, pcb},
		{"xinpgen", "xig_len", listLength, 4, pcb},
		{"xinpcb_n", "", 0, listPCBSize, pcb},
		{"xinpcb_n", "xi_len", listLength, 4, pcb},
		{"xinpcb_n", "xi_kind", listKind, 4, pcb},
		{"xinpcb_n", "inp_fport", listPCBRemotePort, 2, pcb},
		{"xinpcb_n", "inp_lport", listPCBLocalPort, 2, pcb},
		{"xinpcb_n", "inp_vflag", listPCBVersion, 1, pcb},
		{"xinpcb_n", "inp_dependfaddr", listPCBRemote, 16, pcb},
		{"xinpcb_n", "inp_dependladdr", listPCBLocal, 16, pcb},
		{"xsocket_n", "", 0, listSocketSize, socketvar},
		{"xsocket_n", "xso_len", listLength, 4, socketvar},
		{"xsocket_n", "xso_kind", listKind, 4, socketvar},
		{"xsocket_n", "xso_so", listSocketHandle, 8, socketvar},
		{"xtcpcb_n", "", 0, listTCPSize, tcp},
		{"xtcpcb_n", "xt_len", listLength, 4, tcp},
		{"xtcpcb_n", "xt_kind", listKind, 4, tcp},
		{"xtcpcb_n", "t_state", listTCPState, 4, tcp},
	}, constants()...)
}

// constants are the lines of the table that are numbers by name.
func constants() []Row {
	const (
		info      = "bsd/sys/proc_info.h"
		private   = "bsd/sys/proc_info_private.h"
		socketvar = "bsd/sys/socketvar.h"
	)
	return []Row{
		{"PROC_PIDLISTFDS", "", flavorDescriptors, 0, info},
		{"PROC_PIDTASKINFO", "", flavorTask, 0, info},
		{"PROC_PIDVNODEPATHINFO", "", flavorPaths, 0, info},
		{"PROC_PIDUNIQIDENTIFIERINFO", "", flavorUnique, 0, private},
		{"PROC_PIDT_BSDINFOWITHUNIQID", "", flavorBSDUnique, 0, private},
		{"PROC_PIDFDVNODEINFO", "", flavorVnode, 0, info},
		{"PROC_PIDFDSOCKETINFO", "", flavorSocket, 0, info},
		{"PROC_PIDFDPIPEINFO", "", flavorPipe, 0, info},
		{"PROX_FDTYPE_VNODE", "", typeVnode, 0, info},
		{"PROX_FDTYPE_SOCKET", "", typeSocket, 0, info},
		{"PROX_FDTYPE_PIPE", "", typePipe, 0, info},
		{"SOCKINFO_TCP", "", kindTCP, 0, info},
		{"SOCKINFO_UN", "", kindUnix, 0, info},
		{"SOI_S_ISDISCONNECTED", "", isDisconnected, 0, info},
		{"INI_IPV4", "", versionIPv4, 0, info},
		{"INI_IPV6", "", versionIPv6, 0, info},
		{"TSI_S_LISTEN", "", stateListen, 0, info},
		{"TSI_S_ESTABLISHED", "", stateEstablished, 0, info},
		{"TSI_S_TIME_WAIT", "", stateTimeWait, 0, info},
		{"PIPE_EOF", "", pipeEnded, 0, "bsd/sys/pipe.h"},
		{"PIPE_DRAIN", "", pipeDraining, 0, "bsd/sys/pipe.h"},
		{"SO_ACCEPTCONN", "", acceptsConnect, 0, "bsd/sys/socket.h"},
		{"AF_UNIX", "", familyUnix, 0, "bsd/sys/socket.h"},
		{"SOCK_STREAM", "", typeStream, 0, "bsd/sys/socket.h"},
		{"XSO_SOCKET", "", listsSocket, 0, socketvar},
		{"XSO_INPCB", "", listsPCB, 0, socketvar},
		{"XSO_TCPCB", "", listsTCP, 0, socketvar},
		{"RUSAGE_INFO_V2", "", flavorUsage, 0, "bsd/sys/resource.h"},
		{"FREAD", "", opensRead, 0, "bsd/sys/fcntl.h"},
		{"FWRITE", "", opensWrite, 0, "bsd/sys/fcntl.h"},
		{"SIDL", "", stateIdle, 0, "bsd/sys/proc.h"},
		{"SRUN", "", stateRunning, 0, "bsd/sys/proc.h"},
		{"SSLEEP", "", stateSleeping, 0, "bsd/sys/proc.h"},
		{"SSTOP", "", stateStopped, 0, "bsd/sys/proc.h"},
		{"SZOMB", "", stateZombie, 0, "bsd/sys/proc.h"},
	}
}

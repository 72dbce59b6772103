package darwin

// row is one line of the table: a field (offset and size), a struct (size, with
// an empty field) or a constant (its value as offset, with an empty field and
// size 0).
type row struct {
	Of, Field    string
	Offset, Size int
	Header       string // of XNU 8796 (macOS 13.3), 10063 (14.4) and 11417 (15.4), where they are equal
}

// layout is the table of all that this package knows of the kernel's structs.
func layout() []row {
	const (
		sysctl    = "bsd/sys/sysctl.h"
		info      = "bsd/sys/proc_info.h"
		private   = "bsd/sys/proc_info_private.h"
		resource  = "bsd/sys/resource.h"
		pcb       = "bsd/netinet/in_pcb.h"
		socketvar = "bsd/sys/socketvar.h"
		tcp       = "bsd/netinet/tcp_var.h"
	)
	return append([]row{
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
		{"proc_taskinfo", "pti_messages_sent", taskSent, 4, info},
		{"proc_taskinfo", "pti_messages_received", taskReceived, 4, info},
		{"proc_taskinfo", "pti_syscalls_mach", taskMach, 4, info},
		{"proc_taskinfo", "pti_syscalls_unix", taskUnix, 4, info},
		{"proc_taskinfo", "pti_csw", taskSwitches, 4, info},
		{"proc_taskinfo", "pti_threadnum", taskThreads, 4, info},
		{"proc_vnodepathinfo", "", 0, pathsSize, info},
		{"proc_vnodepathinfo", "pvi_cdir.vip_path", pathsCwd, 1024, info},
		{"rusage_info_v2", "", 0, usageSize, resource},
		{"rusage_info_v2", "ri_phys_footprint", usageFootprint, 8, resource},
		{"rusage_info_v2", "ri_diskio_bytesread", usageRead, 8, resource},
		{"rusage_info_v2", "ri_diskio_byteswritten", usageWritten, 8, resource},
		{"proc_fdinfo", "", 0, descriptorSize, info},
		{"proc_fdinfo", "proc_fd", descriptorNumber, 4, info},
		{"proc_fdinfo", "proc_fdtype", descriptorType, 4, info},
		{"vnode_fdinfo", "", 0, vnodeSize, info},
		{"vnode_fdinfo", "pvi.vi_stat.vst_mode", vnodeMode, 2, info},
		{"vnode_fdinfo", "pvi.vi_stat.vst_nlink", vnodeLinks, 2, info},
		{"vnode_fdinfo", "pvi.vi_stat.vst_dev", vnodeDevice, 4, info},
		{"vnode_fdinfo", "pvi.vi_stat.vst_ino", vnodeInode, 8, info},
		{"vnode_fdinfo", "pvi.vi_stat.vst_rdev", vnodeSpecial, 4, info},
		{"pipe_fdinfo", "", 0, pipeSize, info},
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
func constants() []row {
	const (
		info      = "bsd/sys/proc_info.h"
		private   = "bsd/sys/proc_info_private.h"
		socketvar = "bsd/sys/socketvar.h"
	)
	return []row{
		{"PROC_PIDLISTFDS", "", flavorDescriptors, 0, info},
		{"PROC_PIDTASKINFO", "", flavorTask, 0, info},
		{"PROC_PIDVNODEPATHINFO", "", flavorPaths, 0, info},
		{"PROC_PIDUNIQIDENTIFIERINFO", "", flavorUnique, 0, private},
		{"PROC_PIDT_BSDINFOWITHUNIQID", "", flavorBSDUnique, 0, private},
		{"PROC_PIDFDVNODEINFO", "", flavorVnode, 0, info},
		{"PROC_PIDFDSOCKETINFO", "", flavorSocket, 0, info},
		{"PROC_PIDFDPIPEINFO", "", flavorPipe, 0, info},
		{"PROX_FDTYPE_VNODE", "", int(TypeVnode), 0, info},
		{"PROX_FDTYPE_SOCKET", "", int(TypeSocket), 0, info},
		{"PROX_FDTYPE_PIPE", "", int(TypePipe), 0, info},
		{"SOCKINFO_TCP", "", kindTCP, 0, info},
		{"SOCKINFO_UN", "", kindUnix, 0, info},
		{"SOI_S_ISDISCONNECTED", "", isDisconnected, 0, info},
		{"INI_IPV4", "", versionIPv4, 0, info},
		{"INI_IPV6", "", versionIPv6, 0, info},
		{"TSI_S_LISTEN", "", int(StateListen), 0, info},
		{"TSI_S_ESTABLISHED", "", int(StateEstablished), 0, info},
		{"TSI_S_TIME_WAIT", "", int(StateTimeWait), 0, info},
		{"PIPE_EOF", "", pipeEnded, 0, "bsd/sys/pipe.h"},
		{"PIPE_DRAIN", "", pipeDraining, 0, "bsd/sys/pipe.h"},
		{"SO_ACCEPTCONN", "", acceptsConnect, 0, "bsd/sys/socket.h"},
		{"AF_UNIX", "", familyUnix, 0, "bsd/sys/socket.h"},
		{"SOCK_STREAM", "", typeStream, 0, "bsd/sys/socket.h"},
		{"XSO_SOCKET", "", listsSocket, 0, socketvar},
		{"XSO_INPCB", "", listsPCB, 0, socketvar},
		{"XSO_TCPCB", "", listsTCP, 0, socketvar},
		{"RUSAGE_INFO_V2", "", flavorUsage, 0, "bsd/sys/resource.h"},
		{"SIDL", "", stateIdle, 0, "bsd/sys/proc.h"},
		{"SRUN", "", stateRunning, 0, "bsd/sys/proc.h"},
		{"SSLEEP", "", stateSleeping, 0, "bsd/sys/proc.h"},
		{"SSTOP", "", stateStopped, 0, "bsd/sys/proc.h"},
		{"SZOMB", "", stateZombie, 0, "bsd/sys/proc.h"},
	}
}

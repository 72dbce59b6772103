package darwin

// Sizes and offsets, in bytes, of what XNU fills in, the same on both
// processors. The table of the tests says where each comes from.
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
	taskSent     = 64
	taskReceived = 68
	taskMach     = 72
	taskUnix     = 76
	taskSwitches = 80
	taskThreads  = 84

	pathsSize = 2352
	pathsCwd  = 152

	usageSize      = 160
	usageFootprint = 72
	usageRead      = 144
	usageWritten   = 152

	descriptorSize   = 8
	descriptorNumber = 0
	descriptorType   = 4

	vnodeSize    = 176
	vnodeDevice  = 24
	vnodeMode    = 28
	vnodeLinks   = 30
	vnodeInode   = 32
	vnodeSpecial = 140

	pipeSize   = 184
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

// The flavours of the calls, and constants of their answers.
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

	kindTCP  = 2
	kindUnix = 3

	familyUnix     = 1
	typeStream     = 1
	isDisconnected = 0x2000
	acceptsConnect = 0x2
	versionIPv4    = 0x1
	versionIPv6    = 0x2

	pipeEnded    = 0x80
	pipeDraining = 0x2000

	listsSocket = 0x1
	listsPCB    = 0x10
	listsTCP    = 0x20

	stateIdle     = 1
	stateRunning  = 2
	stateSleeping = 3
	stateStopped  = 4
	stateZombie   = 5
)

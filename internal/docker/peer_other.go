//go:build !linux

package docker

import "net"

// listener is not asked for outside Linux: there the engine runs in a virtual
// machine, and whoever listens is only its forwarder.
func listener(*net.UnixConn) peer { return peer{} }

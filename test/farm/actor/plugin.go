//go:build linux

package actor

import (
	"net"
	"os"
)

// Metadata is the argument by which the docker tool asks a plugin what it is, and About the answer.
const (
	Metadata = "docker-cli-plugin-metadata"
	About    = `{"SchemaVersion":"0.1.0","Vendor":"farm","Version":"v0.0.0","ShortDescription":"an actor"}`
)

// What the docker tool tells its plugins: the program that a person started and, from version 25 on, the
// socket that it listens on for the plugin alone.
const (
	envOfCLI    = "DOCKER_CLI_PLUGIN_ORIGINAL_CLI_COMMAND"
	envOfSocket = "DOCKER_CLI_PLUGIN_SOCKET"
)

// plugIn registers a part that the docker tool started, and connects to that as each plugin does.
func (p *player) plugIn() (err error) {
	if socket := os.Getenv(envOfSocket); socket != "" {
		p.cli, err = net.Dial("unix", socket)
	}
	for _, name := range []string{envOfCLI, envOfSocket} {
		_ = os.Unsetenv(name)
	}
	if err != nil {
		return err
	}
	return p.stage.register(p.part.Name, os.Getpid())
}

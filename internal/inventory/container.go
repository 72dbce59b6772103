package inventory

import (
	"cmp"
	"strings"
	"time"

	"github.com/reaperd/reaperd/internal/human"
)

// Container is one container as it was seen.
type Container struct {
	ID        string            `json:"id"`
	Name      string            `json:"name,omitempty"`
	Image     string            `json:"image,omitempty"`
	Labels    map[string]string `json:"labels,omitempty"`
	State     string            `json:"state,omitempty"`
	CreatedAt time.Time         `json:"created_at,omitzero"`
	StartedAt time.Time         `json:"started_at,omitzero"`
	// FinishedAt is when it last ended; zero while it runs.
	FinishedAt time.Time `json:"finished_at,omitzero"`
	Command    []string  `json:"command,omitempty"`
	// PID is the container's first process, as numbered by the engine's PID
	// namespace; 0 if it does not run.
	PID        int        `json:"pid,omitempty"`
	OpenStdin  Fact[bool] `json:"open_stdin,omitzero"`
	StdinOnce  Fact[bool] `json:"stdin_once,omitzero"`
	AutoRemove Fact[bool] `json:"auto_remove,omitzero"`
	// AttachStdout tells a container whose runner waited for its output from one that was
	// started detached.
	AttachStdout Fact[bool] `json:"attach_stdout,omitzero"`
	TTY          Fact[bool] `json:"tty,omitzero"`
	// Named tells that somebody gave it its name: its engine did not.
	Named Fact[bool] `json:"named,omitzero"`
	// Publishes tells that a port of it is published on the host, and Restarts that its
	// engine starts it again when it ends.
	Publishes Fact[bool] `json:"publishes,omitzero"`
	Restarts  Fact[bool] `json:"restarts,omitzero"`
	// HasEngine means that it was given the socket of an engine.
	HasEngine bool `json:"has_engine,omitempty"`
	// Configured is the name that a client's configuration gives the command line which
	// names this container.
	Configured string `json:"configured,omitempty"`
	// Attached are the connections to the monitor of a container of podman's: whoever is
	// attached to it. null: they could not all be read.
	Attached Fact[[]Connection] `json:"attached,omitzero"`
	// Stdin says whether the shim still holds the write end of the container's stdin.
	Stdin Peer `json:"stdin,omitempty"`
	// Engine is the endpoint it was seen at.
	Engine string `json:"engine,omitempty"`
	// ExecPIDs are the processes that docker exec started and that still run.
	ExecPIDs []int `json:"exec_pids,omitempty"`
}

// Running reports whether it runs.
func (c *Container) Running() bool { return c.State == "running" || c.State == "paused" }

// Called returns the name that the engine has for it, without the slash that Docker puts in
// front; empty if it has none.
func (c *Container) Called() string { return strings.TrimPrefix(c.Name, "/") }

// Handle returns the word that its engine takes for it: its name, or the first digits of its id.
func (c *Container) Handle() string { return cmp.Or(c.Called(), human.Handle(c.ID)) }

package docker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/docker/docker/client"
	"github.com/docker/go-connections/tlsconfig"

	"github.com/reaperd/reaperd/internal/inventory"
)

// engine is the engine at one endpoint, with its state between looks.
type engine struct {
	endpoint Endpoint
	proc     procfs
	system   string        // as runtime.GOOS
	timeout  time.Duration // for one look
	patience time.Duration // for an act, beyond its grace

	agreed atomic.Pointer[connection] // nil: not connected
	missed atomic.Int32               // looks in a row that ran out of time
	// peerUID is the user who listens, as of the last look.
	peerUID atomic.Int64

	mu       sync.Mutex
	stopped  map[string]stoppedContainer
	identity identity
}

// identity is what an engine says about itself, and the socket at which it was asked.
type identity struct {
	id      string // empty where the engine has none
	data    string // its data directory, on its own host
	program string // as in [inventory.Source]
	machine string // the virtual machine it runs in, as [machineOf] names it; empty is none
	// answered means that the engine was asked for all of this and answered.
	answered bool
	socket   fs.FileInfo
}

// peer is the process that listens at a unix endpoint.
type peer struct {
	pid int // 0: outside this PID namespace, or not known
	uid int
}

func newEngine(endpoint Endpoint, o Options) *engine {
	return &engine{
		endpoint: endpoint,
		proc:     procfs(o.Proc),
		system:   o.Environment.OS,
		timeout:  o.Timeout,
		patience: o.Patience,
		stopped:  make(map[string]stoppedContainer),
	}
}

// api is the library's client, agreed with the engine on an API version. It would
// do that at its first request, but holding a lock without a deadline: one request to
// a hung engine would block all others.
func (n *engine) api(ctx context.Context) (*client.Client, error) {
	if agreed := n.agreed.Load(); agreed != nil {
		return agreed.api, nil
	}
	fresh, err := connect(n.endpoint)
	if err != nil {
		return nil, err
	}
	ping, err := fresh.api.Ping(ctx)
	if err != nil {
		return nil, err
	}
	fresh.api.NegotiateAPIVersionPing(ping)
	if n.agreed.CompareAndSwap(nil, fresh) {
		return fresh.api, nil
	}
	fresh.transport.CloseIdleConnections()
	return n.api(ctx)
}

// forget drops the idle connections and the agreed API version, so that a new engine
// at this address is met afresh. Running requests go on.
func (n *engine) forget() {
	if agreed := n.agreed.Swap(nil); agreed != nil {
		agreed.transport.CloseIdleConnections()
	}
}

// connection is the library's client with the transport that holds its connections.
type connection struct {
	api       *client.Client
	transport *http.Transport
}

// connect makes the library's client for an endpoint. It opens no connection before the first
// request.
func connect(endpoint Endpoint) (*connection, error) {
	transport := &http.Transport{MaxIdleConns: 6, IdleConnTimeout: 30 * time.Second}
	scheme := "http"
	if _, unix := endpoint.socket(); !unix && endpoint.TLS.Enabled {
		config, err := tlsconfig.Client(tlsconfig.Options{
			CAFile:             endpoint.TLS.CA,
			CertFile:           endpoint.TLS.Cert,
			KeyFile:            endpoint.TLS.Key,
			InsecureSkipVerify: endpoint.TLS.SkipVerify,
			ExclusiveRootPools: true,
		})
		if err != nil {
			return nil, err
		}
		transport.TLSClientConfig, scheme = config, "https"
	}
	api, err := client.NewClientWithOpts(
		client.WithUserAgent("reaperd"), client.WithAPIVersionNegotiation(), client.WithScheme(scheme),
		client.WithHTTPClient(&http.Client{Transport: transport}), client.WithHost(endpoint.Host), // sets how the transport dials
		client.WithHTTPClient(&http.Client{Transport: bounded{transport}, CheckRedirect: client.CheckRedirect}),
	)
	if err != nil {
		return nil, err
	}
	if path, unix := endpoint.socket(); unix && endpoint.User.IsKnown() {
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) { return dialUsers(ctx, path, endpoint.User) }
	}
	return &connection{api: api, transport: transport}, nil
}

// dialUsers connects root to the engine of a user: only that user, or root, may listen there.
func dialUsers(ctx context.Context, path string, user inventory.Fact[int]) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	if by := listener(conn.(*net.UnixConn)); by.uid != 0 && by.uid != user.Or(0) {
		_ = conn.Close()
		return nil, fmt.Errorf("uid %d listens on %s, which is no socket of that user", by.uid, path)
	}
	return conn, nil
}

// reach opens a connection and closes it again. It finds out which process listens
// or, more exactly than the client would, why none does.
func (n *engine) reach(ctx context.Context) (peer, error) {
	network, address := "unix", ""
	if path, unix := n.endpoint.socket(); unix {
		address = path
	} else {
		url, err := client.ParseHostURL(n.endpoint.Host)
		if err != nil {
			return peer{}, err
		}
		network, address = "tcp", url.Host
	}
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return peer{}, err
	}
	defer conn.Close()
	if unix, ok := conn.(*net.UnixConn); ok {
		return listener(unix), nil
	}
	return peer{}, nil
}

// whoAnswers is the engine's own id and its data directory; engines up to version 22
// take the id from a file in /etc/docker that two engines of one host share. It is
// zero if the engine has no id or does not tell (a socket proxy may deny /info). The
// question costs the engine some forks, so it is asked once for each socket.
func (n *engine) whoAnswers(ctx context.Context, api *client.Client) (identity, error) {
	socket := n.socketInfo()
	n.mu.Lock()
	known := n.identity
	n.mu.Unlock()
	if socket != nil && known.socket != nil && os.SameFile(socket, known.socket) && socket.ModTime().Equal(known.socket.ModTime()) {
		return known, nil
	}
	fresh, err := n.ask(ctx, api)
	if err != nil {
		return identity{}, err
	}
	fresh.socket = socket // a refusal is remembered as well
	n.mu.Lock()
	defer n.mu.Unlock()
	n.identity = fresh
	return fresh, nil
}

// program is which program answered last.
func (n *engine) program() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.identity.program
}

// socketInfo describes the socket of a unix endpoint; nil if there is none.
func (n *engine) socketInfo() fs.FileInfo {
	path, unix := n.endpoint.socket()
	if !unix {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	return info
}

func (n *engine) ask(ctx context.Context, api *client.Client) (identity, error) {
	podman, err := n.isPodman(ctx, api)
	if err != nil {
		return identity{}, err
	}
	var is identity
	if podman {
		is.program = inventory.ProgramPodman
	}
	info, err := api.Info(ctx)
	if err != nil {
		if client.IsErrConnectionFailed(err) || ctx.Err() != nil {
			return identity{}, err
		}
		return is, nil // a proxy may refuse it
	}
	is.machine, is.answered = machineOf(info.OperatingSystem, info.Name, info.KernelVersion), true
	if !podman {
		is.id, is.data = info.ID, info.DockerRootDir
	}
	return is, nil
}

// isPodman reports that podman answers, which invents a new engine id for every
// request. A header of its ping says so.
func (n *engine) isPodman(ctx context.Context, api *client.Client) (bool, error) {
	if _, unix := n.endpoint.socket(); !unix {
		return false, nil
	}
	response, err := request(ctx, api, http.MethodHead, "http://"+client.DummyHost+"/_ping")
	if err != nil {
		return false, err
	}
	defer response.Body.Close()
	return response.Header.Get("Libpod-Api-Version") != "", nil
}

// key is equal for two endpoints of one engine.
func (n *engine) key(who identity) string {
	if who.id != "" {
		return "engine " + who.id + " in " + who.data
	}
	if path, unix := n.endpoint.socket(); unix {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return "socket " + real
		}
	}
	return "host " + n.endpoint.Host
}

// trouble is why a source could not be read, and what helps; remedy may be empty.
type trouble struct {
	what, remedy string
	gaps         []inventory.Gap // a permission that is missing
}

func (t trouble) String() string {
	if t.remedy == "" {
		return t.what
	}
	return t.what + "; " + t.remedy
}

// fault words why a source could not be read. A usual socket that nobody serves is
// absent; every other fault is an error.
func fault(endpoint Endpoint, err error, timeout time.Duration) (inventory.Status, trouble) {
	place := strings.TrimPrefix(endpoint.Host, "unix://")
	nobody := isUnserved(err)
	switch {
	case errors.Is(err, context.DeadlineExceeded) || os.IsTimeout(err):
		return inventory.StatusError, trouble{what: fmt.Sprintf("the engine at %s did not answer within %s", place, timeout), remedy: "if docker ps hangs too, restart the engine"}
	case errors.Is(err, fs.ErrPermission):
		return inventory.StatusError, denied(endpoint)
	case nobody && endpoint.Explicit:
		return inventory.StatusError, trouble{what: fmt.Sprintf("nothing listens on %s, which %s names", place, endpoint.Origin), remedy: "start the engine or change " + endpoint.Origin}
	case nobody:
		return inventory.StatusAbsent, trouble{what: fmt.Sprintf("the socket %s is there and nothing listens on it", place)}
	}
	return inventory.StatusError, trouble{what: fmt.Sprintf("read engine at %s: %v", place, said(err))}
}

// isUnserved reports the error of an address that nobody serves.
func isUnserved(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist)
}

// said is an engine's error without the prefix that the client adds.
func said(err error) error {
	const preamble = "Error response from daemon: "
	if text, ok := strings.CutPrefix(err.Error(), preamble); ok {
		return saidError{text: text, cause: err}
	}
	return err
}

type saidError struct {
	text  string
	cause error
}

func (e saidError) Error() string { return e.text }
func (e saidError) Unwrap() error { return e.cause }

func isGone(err error) bool { return cerrdefs.IsNotFound(err) }

// isEnding reports that the engine refuses because it is already removing the
// container (409 of DELETE, stop and kill).
func isEnding(err error) bool {
	return cerrdefs.IsConflict(err) && strings.Contains(err.Error(), "already in progress")
}

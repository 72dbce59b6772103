package containers

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
)

// Client plays `docker run -i --rm --name NAME IMAGE`: it starts one container and passes
// its stdio on until the container has ended.
type Client struct {
	Engine *Engine
	Demo   string
	Name   string   // of the container
	Env    []string // the environment of its program
}

// stdio is the client's own stdio.
type stdio struct {
	in  io.Reader
	out io.Writer
}

// Run runs the container between in and out. The end of in ends the container's input;
// Run returns when the container has ended.
func (c Client) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	settings := settingsOf(c.Demo)
	settings["Env"] = c.Env
	for _, claim := range []string{"OpenStdin", "StdinOnce", "AttachStdin", "AttachStdout"} {
		settings[claim] = true
	}
	settings["HostConfig"] = map[string]any{"AutoRemove": true, "NetworkMode": "none"}
	made := created{}
	err := c.Engine.call(ctx, question{method: "POST", path: "/containers/create", query: url.Values{"name": {c.Name}}, body: settings, into: &made})
	if err != nil {
		return fmt.Errorf("make container %s: %w", c.Name, err)
	}
	conn, answers, err := c.Engine.attach(ctx, made.ID)
	if err != nil {
		return fmt.Errorf("attach to container %s: %w", c.Name, err)
	}
	defer conn.Close()
	if err := c.Engine.call(ctx, question{method: "POST", path: "/containers/" + made.ID + "/start"}); err != nil {
		return fmt.Errorf("start container %s: %w", c.Name, err)
	}
	return pass(conn, answers, stdio{in, out})
}

// pass copies both ways until the container's output ends.
func pass(conn net.Conn, answers io.Reader, own stdio) error {
	go func() {
		_, _ = io.Copy(conn, own.in)
		if half, can := conn.(interface{ CloseWrite() error }); can {
			_ = half.CloseWrite() // ends the container's input, not its output
		}
	}()
	return demultiplex(own.out, answers)
}

// attach returns a connection to the stdio of a container.
func (e *Engine) attach(ctx context.Context, id string) (net.Conn, io.Reader, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://engine/containers/"+id+"/attach?stream=1&stdin=1&stdout=1", nil)
	if err != nil {
		return nil, nil, err
	}
	request.Header.Set("Connection", "Upgrade")
	request.Header.Set("Upgrade", "tcp")
	conn, err := e.dial(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := request.Write(conn); err != nil {
		return nil, nil, errors.Join(err, conn.Close())
	}
	reader := bufio.NewReader(conn)
	response, err := http.ReadResponse(reader, request)
	switch {
	case err != nil:
		return nil, nil, errors.Join(err, conn.Close())
	case response.StatusCode != http.StatusSwitchingProtocols:
		answer, _ := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
		return nil, nil, errors.Join(&refusedError{response.StatusCode, messageOf(answer)}, conn.Close())
	}
	return conn, reader, nil
}

// headerBytes is the length of the header of each piece of output: the stream, three
// unused bytes, and the length of the piece (Docker Engine API, attach).
const headerBytes = 8

// demultiplex writes a container's output without those headers.
func demultiplex(to io.Writer, from io.Reader) error {
	var header [headerBytes]byte
	for {
		_, err := io.ReadFull(from, header[:])
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if _, err := io.CopyN(to, from, int64(binary.BigEndian.Uint32(header[4:]))); err != nil {
			return err
		}
	}
}

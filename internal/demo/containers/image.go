package containers

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"time"
)

// programPath is the path of reaperd's own program in the image.
const programPath = "/usr/local/bin/mcp-server-fetch"

// Image is the name of the demo's image.
func Image(demo string) string { return "reaperd-demo/mcp-server-fetch:" + demo }

// buildWithin limits the time for building the image.
const buildWithin = 30 * time.Second

// Build makes the image of one demo from the program's file alone, without a registry. It
// also starts the image once: an engine that cannot run it is of no use.
func (e *Engine) Build(ctx context.Context, demo, program string) error {
	ctx, cancel := context.WithTimeout(ctx, buildWithin)
	defer cancel()
	if isLinked {
		return errors.New("this reaperd is linked with the system's libraries, and no image can be made of it alone: CGO_ENABLED=0, as in make build, makes one that has them")
	}
	archive, err := archiveOf(program)
	if err != nil {
		return err
	}
	defer archive.Close()
	err = e.call(ctx, question{method: "POST", path: "/images/create", body: archive, query: url.Values{
		"fromSrc": {"-"}, "repo": {"reaperd-demo/mcp-server-fetch"}, "tag": {demo},
		"changes": {`ENTRYPOINT ["` + programPath + `"]`, "LABEL " + demoLabel + "=" + demo},
	}})
	if err != nil {
		return fmt.Errorf("the engine takes no image: %w", plain(err))
	}
	if err := e.try(ctx, demo); err != nil {
		return fmt.Errorf("the engine runs no container: %w", plain(err))
	}
	return nil
}

// archiveOf returns a tar archive with the program alone. It is made while it is read.
func archiveOf(program string) (io.ReadCloser, error) {
	file, err := os.Open(program)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	reader, writer := io.Pipe()
	go func() {
		defer file.Close()
		archive := tar.NewWriter(writer)
		err := archive.WriteHeader(&tar.Header{Name: programPath[1:], Mode: 0o755, Size: info.Size()})
		if err == nil {
			_, err = io.Copy(archive, file)
		}
		writer.CloseWithError(errors.Join(err, archive.Close()))
	}()
	return reader, nil
}

// try starts the image once, with a command that ends by itself.
func (e *Engine) try(ctx context.Context, demo string) error {
	made := created{}
	settings := settingsOf(demo)
	settings["Cmd"] = []string{"version"}
	settings["HostConfig"] = map[string]any{"NetworkMode": "none"}
	if err := e.call(ctx, question{method: "POST", path: "/containers/create", body: settings, into: &made}); err != nil {
		return err
	}
	defer func() { _ = e.remove(context.WithoutCancel(ctx), made.ID) }()
	if err := e.call(ctx, question{method: "POST", path: "/containers/" + made.ID + "/start"}); err != nil {
		return err
	}
	var ended struct{ StatusCode int }
	if err := e.call(ctx, question{method: "POST", path: "/containers/" + made.ID + "/wait", into: &ended}); err != nil {
		return err
	}
	if ended.StatusCode != 0 {
		return fmt.Errorf("its program ended with %d", ended.StatusCode)
	}
	return nil
}

// created is the engine's answer to a new container.
type created struct {
	ID string `json:"Id"`
}

// settingsOf returns the settings of every container of a demo.
func settingsOf(demo string) map[string]any {
	return map[string]any{"Image": Image(demo), "Labels": map[string]string{demoLabel: demo}}
}

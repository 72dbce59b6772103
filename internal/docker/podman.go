package docker

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/docker/docker/client"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/inventory"
)

// podmanInspect is the part of podman's own inspect that Docker's form leaves out.
type podmanInspect struct {
	Config struct{ CreateCommand []string }
}

// addStart adds how a container of podman's was started. In Docker's form podman says of
// every container that nobody was attached when it was started; the command line by which it
// was made tells.
func (n *engine) addStart(ctx context.Context, api *client.Client, c *inventory.Container) {
	c.StdinOnce, c.AttachStdout = inventory.Fact[bool]{}, inventory.Fact[bool]{}
	line, ok := cmdline.ReadContainer(n.createCommand(ctx, api, c.ID))
	if !ok || line.Unknown != "" {
		return
	}
	c.Named = inventory.Known(line.Name != "")
	attached := line.Command == "run" && !line.Detach || line.Command == "create"
	c.StdinOnce, c.AttachStdout = inventory.Known(attached && line.Interactive), inventory.Known(attached)
}

// createCommand is the command line that made a container; nil if podman does not tell.
func (n *engine) createCommand(ctx context.Context, api *client.Client, id string) []string {
	const version = "v4.0.0" // podman answers in this form from there on
	response, err := request(ctx, api, http.MethodGet, "http://"+client.DummyHost+"/"+version+"/libpod/containers/"+id+"/json")
	if err != nil {
		return nil
	}
	defer response.Body.Close()
	var made podmanInspect
	if response.StatusCode != http.StatusOK || json.NewDecoder(response.Body).Decode(&made) != nil {
		return nil
	}
	return made.Config.CreateCommand
}

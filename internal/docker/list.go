package docker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"unsafe"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"

	"github.com/reaperd/reaperd/internal/inventory"
)

// Bounds on what an engine's list may hold: containers, and bytes that are kept of
// all of them. What goes beyond is no list that is believed.
const (
	maxContainers = 10_000
	maxListKept   = 8 << 20
)

// summary is the part of an entry of the engine's list that is read.
type summary struct {
	ID      string                 `json:"Id"`
	Names   []string               `json:"Names"`
	Image   string                 `json:"Image"`
	Labels  map[string]string      `json:"Labels"`
	State   string                 `json:"State"`
	Status  string                 `json:"Status"`
	Created int64                  `json:"Created"`
	Mounts  []container.MountPoint `json:"Mounts"`
}

// list reads the engine's containers, running and stopped. The client's own call
// would hold the whole answer in memory twice.
func (n *engine) list(ctx context.Context, api *client.Client) ([]summary, error) {
	address, err := n.address(api, "/containers/json", url.Values{"all": {"1"}})
	if err != nil {
		return nil, err
	}
	response, err := request(ctx, api, http.MethodGet, address)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, refused(response)
	}
	return decodeList(response.Body)
}

// request sends what the library has no call for.
func request(ctx context.Context, api *client.Client, method, address string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return nil, err
	}
	return api.HTTPClient().Do(request)
}

// address is the URL of a path of the API.
func (n *engine) address(api *client.Client, name string, query url.Values) (string, error) {
	at := url.URL{Scheme: "http", Host: client.DummyHost, RawQuery: query.Encode()}
	if _, unix := n.endpoint.socket(); !unix {
		host, err := client.ParseHostURL(n.endpoint.Host)
		if err != nil {
			return "", err
		}
		at.Host, at.Path = host.Host, host.Path
		if n.endpoint.TLS.Enabled {
			at.Scheme = "https"
		}
	}
	at.Path = path.Join("/", at.Path, "v"+api.ClientVersion(), name)
	return at.String(), nil
}

// maxRefusal is how much of an error's text is read, in bytes.
const maxRefusal = 4 << 10

// refused is the error that an engine sent instead of an answer.
func refused(response *http.Response) error {
	text, err := io.ReadAll(io.LimitReader(response.Body, maxRefusal))
	if err != nil {
		return err
	}
	var said struct{ Message string }
	if json.Unmarshal(text, &said) == nil && said.Message != "" {
		return errors.New(said.Message)
	}
	return fmt.Errorf("%s: %s", response.Status, strings.TrimSpace(string(text)))
}

// decodeList reads a list entry by entry.
func decodeList(body io.Reader) ([]summary, error) {
	bounded := &boundedReader{from: body, most: maxAnswer, what: "an entry of the engine's list"}
	decoder := json.NewDecoder(bounded)
	if err := openList(decoder); err != nil {
		return nil, err
	}
	var all []summary
	kept := 0
	for decoder.More() {
		bounded.read = 0
		var one summary
		if err := decoder.Decode(&one); err != nil {
			return nil, err
		}
		one.Labels, _ = keptLabels(one.Labels)
		kept += one.size()
		if len(all) == maxContainers || kept > maxListKept {
			return nil, fmt.Errorf("the engine lists more than is read: %d containers, or %d MiB of names and labels", maxContainers, maxListKept>>20)
		}
		all = append(all, one)
	}
	_, err := decoder.Token() // without its end the answer was cut off
	return all, err
}

// openList reads the beginning of a list. null is an empty list.
func openList(decoder *json.Decoder) error {
	token, err := decoder.Token()
	if err != nil {
		return err
	}
	if token != json.Delim('[') && token != nil {
		return fmt.Errorf("the engine's list begins with %v", token)
	}
	return nil
}

// size is the memory that an entry keeps, in bytes.
func (s *summary) size() int {
	size := len(s.ID) + len(s.Image) + len(s.State) + len(s.Status)
	for _, name := range s.Names {
		size += len(name)
	}
	for i := range s.Mounts {
		size += int(unsafe.Sizeof(s.Mounts[i])) + len(s.Mounts[i].Source) + len(s.Mounts[i].Destination)
	}
	return size + labelsSize(s.Labels)
}

// Bounds on what is kept of one container, in bytes and in arguments.
const (
	maxLabels       = 64 << 10
	maxCommand      = 32 << 10
	maxCommandWords = 256
)

func labelsSize(labels map[string]string) int {
	size := 0
	for name, value := range labels {
		size += len(name) + len(value)
	}
	return size
}

// keptLabels are a container's labels. If they are too long to keep, only those for
// reaperd are kept, and whole is false.
func keptLabels(labels map[string]string) (kept map[string]string, whole bool) {
	if labelsSize(labels) <= maxLabels {
		return labels, true
	}
	kept = map[string]string{}
	for name, value := range labels {
		if strings.HasPrefix(name, "reaperd.") && labelsSize(kept)+len(name)+len(value) <= maxLabels {
			kept[name] = value
		}
	}
	return kept, false
}

// isTooLong reports a container of which not everything that decides can be kept.
func isTooLong(c *inventory.Container) bool {
	size := 0
	for _, word := range c.Command {
		size += len(word)
	}
	_, whole := keptLabels(c.Labels)
	return !whole || size > maxCommand || len(c.Command) > maxCommandWords
}

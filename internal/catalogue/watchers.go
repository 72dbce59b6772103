package catalogue

import (
	"path"
	"strings"

	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/inventory"
)

// watcherPrograms are connected to container engines and attach to no MCP server's container:
// dashboards, collectors, updaters, and the engine's own helpers. Sources: their READMEs, which
// ask for the engine's socket.
var watcherPrograms = cmdline.WordsOf("" +
	"reaperd portainer watchtower dozzle traefik cadvisor netdata telegraf glances diun autoheal docker-gen lazydocker ctop " +
	"dockge yacht beszel-agent promtail fluent-bit filebeat metricbeat datadog-agent otelcol crowdsec " +
	"docker-buildx buildx docker-scout buildkitd dockerd containerd cri-dockerd gitlab-runner act_runner ryuk nomad amazon-ecs-agent " +
	"docker-socket-proxy socket-proxy")

// watcherImages are images of such programs, as repositories without a registry.
var watcherImages = cmdline.WordsOf("" +
	"portainer/portainer-ce portainer/portainer-ee portainer/portainer portainer/agent containrrr/watchtower nickfedor/watchtower " +
	"amir20/dozzle library/traefik traefik cadvisor/cadvisor google/cadvisor netdata/netdata library/telegraf telegraf nicolargo/glances " +
	"crazymax/diun willfarrell/autoheal nginxproxy/docker-gen nginxproxy/nginx-proxy jwilder/nginx-proxy jwilder/docker-gen " +
	"lucaslorentz/caddy-docker-proxy louislam/dockge louislam/uptime-kuma selfhostedpro/yacht henrygd/beszel-agent gethomepage/homepage " +
	"timberio/vector grafana/promtail grafana/alloy fluent/fluent-bit gcr.io/datadoghq/agent datadog/agent crowdsecurity/crowdsec " +
	"lissy93/dashy ghcr.io/homarr-labs/homarr ajnart/homarr swarmpit/swarmpit getwud/wud fmartinou/whats-up-docker moncho/dry " +
	"tecnativa/docker-socket-proxy wollomatic/socket-proxy linuxserver/socket-proxy 11notes/socket-proxy testcontainers/ryuk")

// Trust names what the policy trusts to attach to no container of others.
type Trust struct {
	Process   func(*inventory.Process) bool
	Container func(*inventory.Container) bool
}

// Watches reports a process, or a container, that is connected to an engine and attaches to no
// container of others. One of the two may be nil. A program is known by the file that it runs:
// it may call itself whatever it likes.
func (c *Catalogue) Watches(p *inventory.Process, k *inventory.Container) bool {
	for _, trust := range c.trusted {
		if p != nil && trust.Process != nil && trust.Process(p) || k != nil && trust.Container != nil && trust.Container(k) {
			return true
		}
	}
	return p != nil && p.ContainerID == "" && watcherPrograms[path.Base(strings.TrimSuffix(p.Exe, " (deleted)"))] || k != nil && isWatcherImage(k.Image)
}

func isWatcherImage(ref string) bool {
	repository := cmdline.NormalImage(ref).Repository
	_, name, _ := strings.Cut(repository, "/")
	return watcherImages[repository] || watcherImages[name]
}

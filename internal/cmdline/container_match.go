package cmdline

import (
	"cmp"
	"slices"
	"strings"
)

// Names reports that the line may name a container of that id and name: with --name, or
// as the argument of exec, start and attach. The engine accepts a name with or
// without a leading slash, and any prefix of an id.
func (l ContainerLine) Names(id, name string) bool {
	word := strings.TrimPrefix(cmp.Or(l.Name, l.Container), "/")
	return word != "" && (word == strings.TrimPrefix(name, "/") || l.Name == "" && strings.HasPrefix(id, word))
}

// Labels that Compose gives its containers.
const (
	composeProject = "com.docker.compose.project"
	composeService = "com.docker.compose.service"
	composeOneOff  = "com.docker.compose.oneoff"
)

// IsOneOff reports the labels of a container that `docker compose run` has made: no service
// of its project, and nobody's but its runner's.
func IsOneOff(labels map[string]string) bool {
	return strings.EqualFold(labels[composeOneOff], "true")
}

// Labelled reports labels that Compose may have given a container which the line has made, or
// in which it executes a command.
func (l ContainerLine) Labelled(labels map[string]string) bool {
	return l.Service != "" && labels[composeService] == l.Service && IsOneOff(labels) == (l.Command == "run") &&
		(l.Project == "" || labels[composeProject] == l.Project)
}

// MayRun reports that a container's labels and command do not contradict the line, as
// far as both sides give them. Whether the images do, [Image.Differs] says.
func (l ContainerLine) MayRun(labels map[string]string, command []string) bool {
	for key, value := range l.Labels {
		if has, labelled := labels[key]; labelled && has != value {
			return false
		}
	}
	asked := l.Args
	for len(asked) > 0 && strings.TrimSpace(asked[len(asked)-1]) == "" { // padding
		asked = asked[:len(asked)-1]
	}
	return len(asked) == 0 || len(command) == 0 || endsWith(command, asked)
}

// endsWith reports that a command ends with these arguments. An entrypoint may stand
// before them.
func endsWith(command, arguments []string) bool {
	front := len(command) - len(arguments)
	return front >= 0 && slices.Equal(command[front:], arguments)
}

// ServerName is the name of the server in the container: the label of Docker's
// gateway, else the image's name, else Compose's for the service.
func (l ContainerLine) ServerName() string {
	if name := l.Labels["docker-mcp-name"]; name != "" {
		return name
	}
	return cmp.Or(ImageBase(l.Image), l.Service)
}

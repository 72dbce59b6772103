package cmdline

import (
	"slices"
	"strings"
)

// Names reports that the line names a container of that id and name: with --name, or
// as the argument of exec, start and attach. The engine accepts a name with or
// without a leading slash, and any prefix of an id that is unique; isAnothers reports
// a word that is the name, or a prefix of the id, of another container.
func (l ContainerLine) Names(id, name string, isAnothers func(word string) bool) bool {
	is := func(word string) bool {
		return strings.TrimPrefix(word, "/") == strings.TrimPrefix(name, "/")
	}
	switch word := l.Container; {
	case l.Name != "":
		return is(l.Name)
	case word == "":
		return false
	default:
		return is(word) || strings.HasPrefix(id, word) && !isAnothers(word)
	}
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
// gateway, else the image's name.
func (l ContainerLine) ServerName() string {
	if name := l.Labels["docker-mcp-name"]; name != "" {
		return name
	}
	return ImageBase(l.Image)
}

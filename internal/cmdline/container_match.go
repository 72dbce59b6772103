package cmdline

import (
	"slices"
	"strings"
)

// Names reports that the line names a container of that id and name: by --name,
// or as what exec, start and attach are pointed at. The engine takes a name with
// or without a slash before it, and as much of an id as is only one's; isAnothers
// tells that a word is also the name or the beginning of the id of another one.
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

// MayRun reports that image, labels and command of a container are what the line
// asked for, as far as both sides say them.
func (l ContainerLine) MayRun(image string, labels map[string]string, command []string) bool {
	if l.Image == "" || DifferentImage(l.Image, image) {
		return false
	}
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

// endsWith reports that a command ends with these arguments; an entrypoint may
// stand in front.
func endsWith(command, arguments []string) bool {
	front := len(command) - len(arguments)
	return front >= 0 && slices.Equal(command[front:], arguments)
}

// ServerName is what the server that a container runs is called: by the label that
// Docker's gateway gives it, else by its image.
func (l ContainerLine) ServerName() string {
	if name := l.Labels["docker-mcp-name"]; name != "" {
		return name
	}
	return ImageBase(l.Image)
}

// Package tie adds to the command line of a container CLI, such as "docker run", a
// cid file, by which `reaperd exec` can stop the container, and labels that name its
// owner. It needs the catalogue, and is apart from package supervise because that
// must not import it.
package tie

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/reaperd/reaperd/internal/catalogue"
	"github.com/reaperd/reaperd/internal/cmdline"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/supervise"
)

// The labels that tie a container to what started it.
const (
	ownerLabel   = "reaperd.owner"
	sessionLabel = "reaperd.session"
)

// Container adds these flags if the command line runs a container. Two kinds of lines
// stay as they are: that of a detached container, which is meant to outlive its
// runner, and one that cannot be read completely, since it may name a cid file
// already. unknown is then the flag that could not be read.
func Container(line *supervise.Line) (unknown string, err error) {
	run, at, ok := cmdline.ReadContainerRun(line.Args)
	switch {
	case !ok || run.Detach:
		return "", nil
	case run.Unknown != "":
		return run.Unknown, nil
	}
	line.Container = supervise.Container{At: at, CIDFile: run.CIDFile, Remove: run.Remove && run.Program != "docker"}
	if run.CIDFile == "" {
		if err := addCIDFile(&line.Container); err != nil {
			return "", err
		}
	}
	for _, label := range []struct{ name, value string }{{ownerLabel, supervise.Owner()}, {sessionLabel, sessionName()}} {
		if _, given := run.Labels[label.name]; !given && label.value != "" {
			line.Container.Flags = append(line.Container.Flags, "--label", label.name+"="+label.value)
		}
	}
	return "", nil
}

func addCIDFile(container *supervise.Container) error {
	file, err := supervise.CIDFile(cmp.Or(os.Getenv("XDG_RUNTIME_DIR"), os.TempDir()))
	if err != nil {
		return err
	}
	if strings.Contains(file, "\n") {
		return errors.New("the folder for temporary files has a line break in its name")
	}
	container.CIDFile = file
	container.Flags = append(container.Flags, "--cidfile", file)
	return nil
}

// sessionName is the client as `<name> <pid>`: its name in the catalogue, else its
// program; "" if it cannot be seen.
func sessionName() string {
	client := supervise.Client()
	if client.PID == 0 {
		return ""
	}
	seen := inventory.Process{PID: client.PID, Argv: client.Argv}
	name := cmp.Or(catalogue.New().Process(&seen).Name, path.Base(client.Argv[0]))
	return strings.ReplaceAll(fmt.Sprintf("%s %d", name, client.PID), "\n", " ")
}

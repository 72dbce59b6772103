//go:build linux

package farm

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

// removeOnInterrupt removes the folder if the tests are interrupted. The worlds end by
// themselves.
func removeOnInterrupt(folder string) {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, unix.SIGINT, unix.SIGTERM)
	go func() {
		<-interrupted
		_ = os.RemoveAll(folder)
		os.Exit(130)
	}()
}

// lookAtSources makes the result of the tests depend on reaperd's sources. go test
// remembers which files of the module a test has read, but knows nothing of the programs
// that a test builds. It notices only files read while a test runs, not those that
// TestMain reads earlier.
var lookAtSources = sync.OnceValue(func() error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "bin"):
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		_, err = os.Stat(path)
		return err
	})
})

// moduleRoot is the folder of go.mod at or above this one.
func moduleRoot() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", errors.New("find go.mod: not in this folder or above it")
		}
		folder = parent
	}
}

// envBuilt names a folder with programs that were built for all packages: hack/test.sh does that.
const envBuilt = "REAPERD_TEST_PROGRAMS"

// build brings the programs, actor and reaperd: from the folder of those that were built before, else it
// builds them. REAPERD_BIN names another reaperd.
func build(folder string) error {
	if err := os.Chmod(folder, 0o755); err != nil { // a world may run as another user
		return err
	}
	if err := bring("", filepath.Join(folder, "actor"), "test/farm/cmd/actor"); err != nil {
		return err
	}
	return bring(os.Getenv("REAPERD_BIN"), filepath.Join(folder, "reaperd"), "cmd/reaperd")
}

// bring copies a program that is given, links one that was built before, or builds it. Tests of memory
// need the link: the kernel keeps more of a copied file in memory than of one that a linker wrote.
func bring(given, output, folder string) error {
	if given != "" {
		return duplicate(given, output)
	}
	if built := os.Getenv(envBuilt); built != "" && os.Link(filepath.Join(built, filepath.Base(output)), output) == nil {
		return nil
	}
	return goBuild(output, "github.com/reaperd/reaperd/"+folder)
}

func goBuild(output, pkg string) error {
	command := exec.Command("go", "build", "-o", output, pkg)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, text)
	}
	return nil
}

// Program returns the path of a built program: "actor" or "reaperd".
func Program(name string) string { return filepath.Join(os.Getenv(envPrograms), name) }

func duplicate(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o755)
}

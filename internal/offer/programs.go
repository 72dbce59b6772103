package offer

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Programs are the programs in these folders whose names begin with what is typed, each once.
func Programs(folders []string, typed string) Words {
	var all Words
	for _, folder := range folders {
		files, _ := os.ReadDir(folder) // PATH may name a folder that is not there
		for _, file := range files {
			if strings.HasPrefix(file.Name(), typed) && isProgram(filepath.Join(folder, file.Name())) {
				all = append(all, file.Name())
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

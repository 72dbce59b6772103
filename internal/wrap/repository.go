package wrap

import (
	"fmt"
	"path/filepath"

	"github.com/reaperd/reaperd/internal/human"
)

// repositoryOf returns the root of the repository that a file lies in; "" if it lies in none. It
// looks for the folder's .git alone: whether the file is committed, it does not know.
func repositoryOf(file string) string {
	for folder := filepath.Dir(file); ; folder = filepath.Dir(folder) {
		if exists(filepath.Join(folder, ".git")) {
			return folder
		}
		if folder == filepath.Dir(folder) {
			return ""
		}
	}
}

// Shared notes the files that a plan wraps and that lie in a repository; "" if there are none.
func (p Plan) Shared() string {
	var files []string
	for _, r := range p.Rewritings {
		if !p.undo && repositoryOf(r.Real) != "" {
			files = append(files, human.Safe(r.Path))
		}
	}
	if len(files) == 0 {
		return ""
	}
	n := len(files)
	return fmt.Sprintf("note: %s %s in a repository: where that is committed, whoever uses %s needs reaperd too; keep *%s out of commits",
		human.List(files), human.Verb(n, "lies", "lie"), human.Them(n, n), backupEnding)
}

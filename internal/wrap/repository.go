package wrap

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

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

// Shared says of the files that a plan wraps and that lie in a repository, two lines for each repository,
// what that means to those who share it, and what is not for them.
func (p Plan) Shared() (notes []string) {
	if p.undo {
		return nil
	}
	files, backups := map[string][]string{}, map[string][]string{}
	for _, r := range p.Rewritings {
		if root := repositoryOf(r.Real); root != "" {
			files[root] = append(files[root], r.Path)
			backups[root] = append(backups[root], human.Safe(r.backup()))
		}
	}
	for _, root := range slices.Sorted(maps.Keys(files)) {
		notes = append(notes, sharedNote(root, files[root]),
			fmt.Sprintf("note: keep %s out of commits: reaperd wrap --undo needs %s on this machine alone", human.List(backups[root]), human.Them(len(backups[root]), len(backups[root]))))
	}
	return notes
}

func sharedNote(root string, files []string) string {
	var names []string
	for _, file := range files {
		names = append(names, human.Safe(file))
	}
	n := len(files)
	return fmt.Sprintf("note: %s %s in the repository %s: where that is committed, whoever uses %s needs reaperd too; reaperd wrap --undo %s takes it back",
		human.List(names), human.Verb(n, "lies", "lie"), human.Safe(root), human.Them(n, n), human.Safe(human.Shell(files...)))
}

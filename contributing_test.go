package reaperd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func contributing(t *testing.T) string {
	t.Helper()
	return read(t, "CONTRIBUTING.md")
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestContributingShowsEveryRoom: the picture of the house has each folder below internal once, and nothing else.
func TestContributingShowsEveryRoom(t *testing.T) {
	_, house, _ := strings.Cut(contributing(t), "\n## The house\n")
	house, _, _ = strings.Cut(house, "\n## ")
	var shown, rooms []string
	for _, line := range regexp.MustCompile(`(?m)^[a-z]+ +([a-z]+(?: · [a-z]+)+)$`).FindAllStringSubmatch(house, -1) {
		shown = append(shown, strings.Split(line[1], " · ")...)
	}
	for _, folder := range goFolders(t) {
		if below, is := strings.CutPrefix(folder, "internal/"); is {
			room, _, _ := strings.Cut(below, "/")
			rooms = append(rooms, room)
		}
	}
	slices.Sort(shown)
	slices.Sort(rooms)
	if rooms = slices.Compact(rooms); !slices.Equal(shown, rooms) {
		t.Errorf("CONTRIBUTING.md shows the rooms\n%q, and there are\n%q", shown, rooms)
	}
}

// TestContributingNamesFilesThatExist, below internal, test, hack and docs.
func TestContributingNamesFilesThatExist(t *testing.T) {
	for _, file := range regexp.MustCompile("[`/ ]((?:internal|test|hack|docs|cmd)/[a-z_/.]+[a-z])").FindAllStringSubmatch(contributing(t), -1) {
		if _, err := os.Stat(file[1]); err != nil {
			t.Error(err)
		}
	}
}

// TestEveryPackageSaysInTenLinesWhatIsInIt: that is what `go doc` shows first.
func TestEveryPackageSaysInTenLinesWhatIsInIt(t *testing.T) {
	for _, folder := range goFolders(t) {
		said, files := "", sources(t, folder)
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.PackageClauseOnly)
			if err != nil {
				t.Fatal(err)
			}
			said += parsed.Doc.Text()
		}
		if lines := strings.Count(said, "\n"); len(files) > 0 && lines < 1 || lines > 10 {
			t.Errorf("%s says in %d lines what is in it, want 1 to 10:\n%s", folder, lines, said)
		}
		for _, named := range regexp.MustCompile(`\b[a-z_]+\.go\b`).FindAllString(said, -1) {
			if !slices.Contains(files, filepath.Join(folder, named)) {
				t.Errorf("%s says that it has %s", folder, named)
			}
		}
	}
}

// TestContributingNamesWhatExists: each symbol on the paths through the code is
// declared in its package, and no path has more than five steps.
func TestContributingNamesWhatExists(t *testing.T) {
	_, section, found := strings.Cut(contributing(t), "## Three questions")
	section, _, ended := strings.Cut(section, "\n## ")
	if !found || !ended {
		t.Fatal("CONTRIBUTING.md has no section of three questions")
	}
	steps := regexp.MustCompile(`(?m)^([0-9]+)\. .*`).FindAllStringSubmatch(section, -1)
	if len(steps) < 3 {
		t.Fatalf("%d steps", len(steps))
	}
	for _, step := range steps {
		if step[1] > "5" || len(step[1]) > 1 {
			t.Errorf("more than five steps: %s", step[0])
		}
		symbols := regexp.MustCompile("`([a-z]+)\\.([A-Za-z.]+)`").FindAllStringSubmatch(step[0], -1)
		if len(symbols) == 0 {
			t.Errorf("no symbol in %s", step[0])
		}
		for _, symbol := range symbols {
			if !slices.Contains(declared(t, "internal/"+symbol[1]), symbol[2]) {
				t.Errorf("internal/%s declares no %s", symbol[1], symbol[2])
			}
		}
	}
}

// TestContributingHasOneMeaningAWord: each word stands once in the table, and no code
// or text uses the word of another thing for it.
func TestContributingHasOneMeaningAWord(t *testing.T) {
	_, section, _ := strings.Cut(contributing(t), "\n## Words\n")
	table, _, found := strings.Cut(section, "On screens")
	if !found {
		t.Fatal("CONTRIBUTING.md has no table of words")
	}
	var words []string
	for _, row := range regexp.MustCompile(`(?m)^\| (\*\*.*?) \| `).FindAllStringSubmatch(table, -1) {
		for _, word := range regexp.MustCompile(`\*\*([^*]+)\*\*`).FindAllStringSubmatch(row[1], -1) {
			if slices.Contains(words, word[1]) {
				t.Errorf("CONTRIBUTING.md explains %s twice", word[1])
			}
			words = append(words, word[1])
		}
	}
	for _, confused := range []struct {
		found *regexp.Regexp
		word  string
	}{
		{regexp.MustCompile(`(?i)\b(docker|podman|engine'?s?|container'?s?) clients?\b|\bclients? of (a|the|its) container\b`), "Runner"},
		{regexp.MustCompile(`(?i)\bcontainer clients?\b`), "Container CLI"},
		{regexp.MustCompile(`\b(processes|process|child|children|threads?) ha(s|ve|d) ended\b|\bthe end of (a|the) process\b`), "End"},
	} {
		if !slices.Contains(words, confused.word) {
			t.Errorf("CONTRIBUTING.md does not explain %s", confused.word)
		}
		for _, file := range prose(t) {
			for i, line := range strings.Split(read(t, file), "\n") {
				if said := confused.found.FindString(line); said != "" && file != "contributing_test.go" {
					t.Errorf("%s:%d says %q: the word is %s", file, i+1, said, confused.word)
				}
			}
		}
	}
}

// TestCommentsLinkToWhatExists: a name in brackets in a comment, such as
// [inventory.Container], is declared.
func TestCommentsLinkToWhatExists(t *testing.T) {
	link := regexp.MustCompile(`\[\*?(?:([a-z]+)\.)?([A-Z]\w*(?:\.[A-Z]\w*)?)\](?:[^(\w"]|$)`)
	folders := map[string]string{}
	for _, folder := range goFolders(t) {
		folders[filepath.Base(folder)] = folder
	}
	links := 0
	for _, folder := range goFolders(t) {
		own := declared(t, folder)
		files, _ := filepath.Glob(folder + "/*.go")
		files = slices.DeleteFunc(files, func(file string) bool { return strings.HasSuffix(file, "_test.go") })
		for _, file := range files {
			for _, comment := range comments(t, file) {
				for _, found := range link.FindAllStringSubmatch(comment, -1) {
					names := own
					if other, ours := folders[found[1]]; ours {
						names = declared(t, other)
					} else if found[1] != "" {
						continue // a package of Go or of a library
					}
					if links++; !slices.Contains(names, found[2]) {
						t.Errorf("%s: [%s] is declared nowhere", file, strings.TrimPrefix(found[1]+"."+found[2], "."))
					}
				}
			}
		}
	}
	if links < 100 {
		t.Errorf("only %d links were found", links)
	}
}

// comments are the comments above a file's declarations.
func comments(t *testing.T, file string) (texts []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range parsed.Comments {
		texts = append(texts, group.Text())
	}
	return texts
}

// goFolders are the folders of packages below internal and cmd.
func goFolders(t *testing.T) (folders []string) {
	t.Helper()
	for _, pattern := range []string{"internal/*/*.go", "internal/*/*/*.go", "cmd/*/*.go", "test/*/*.go", "test/*/*/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if folder := filepath.Dir(file); filepath.Base(folder) != "testdata" && !slices.Contains(folders, folder) {
				folders = append(folders, folder)
			}
		}
	}
	return folders
}

// prose are the files that people read: code and pages.
func prose(t *testing.T) (files []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != ".":
			return filepath.SkipDir
		case !entry.IsDir() && slices.Contains([]string{".go", ".md", ".yaml"}, filepath.Ext(path)):
			files = append(files, path)
		}
		return nil
	})
	if err != nil || len(files) < 100 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	return files
}

// declared are the names that a package declares: functions, types, variables,
// constants, and methods and fields as Type.Name.
func declared(t *testing.T, folder string) (names []string) {
	t.Helper()
	files, _ := filepath.Glob(folder + "/*.go")
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range parsed.Decls {
			names = append(names, namesOf(declaration)...)
		}
	}
	return names
}

func namesOf(declaration ast.Decl) (names []string) {
	switch declaration := declaration.(type) {
	case *ast.FuncDecl:
		name := declaration.Name.Name
		if declaration.Recv != nil {
			receiver := declaration.Recv.List[0].Type
			if pointer, ok := receiver.(*ast.StarExpr); ok {
				receiver = pointer.X
			}
			if generic, ok := receiver.(*ast.IndexExpr); ok {
				receiver = generic.X
			}
			if of, ok := receiver.(*ast.Ident); ok {
				name = of.Name + "." + name
			}
		}
		names = append(names, name)
	case *ast.GenDecl:
		for _, spec := range declaration.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, spec.Name.Name)
				if record, ok := spec.Type.(*ast.StructType); ok {
					for _, field := range record.Fields.List {
						for _, of := range field.Names {
							names = append(names, spec.Name.Name+"."+of.Name)
						}
					}
				}
			case *ast.ValueSpec:
				for _, of := range spec.Names {
					names = append(names, of.Name)
				}
			}
		}
	}
	return names
}

// TestMessagesKeepToTheWords: no text of the program has a word that the table of words in
// CONTRIBUTING.md sets aside. The table has more; these are those that have slipped in.
func TestMessagesKeepToTheWords(t *testing.T) {
	aside := regexp.MustCompile(`\bnever touch\b|\balso ends\b|(can|cannot|could not|are|to) be ended\b|are ended[,;]|to end by itself|does not end by itself|\bTARGET\b.*\bTARGET\b`)
	for _, file := range goFiles(t, "cmd", "internal") {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if literal, is := n.(*ast.BasicLit); is && literal.Kind == token.STRING && aside.MatchString(literal.Value) {
				t.Errorf("%s: %s", file, literal.Value)
			}
			return true
		})
	}
}

// goFiles are the Go files below some folders that are no tests.
func goFiles(t *testing.T, folders ...string) (files []string) {
	t.Helper()
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

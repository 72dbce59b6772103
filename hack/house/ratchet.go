package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The ratchet: what the house measures may only fall. ratchet.txt has a figure a line; a
// tree that exceeds one fails its test, and a tree that has become smaller lowers them:
//
//	go run ./hack/house -lower
const ratchetFile = "hack/house/ratchet.txt"

// slack is by how much of a hundred a figure may stay below its mark without lowering it.
const slack = 2

// mark is a figure of the ratchet.
type mark struct {
	name  string
	value int
}

// marks are what the ratchet holds of a tree: lines of product code and of tests, rooms,
// floors, arrows, and the lines of each room.
func marks(root string) ([]mark, error) {
	sources, err := readSources(root)
	if err != nil {
		return nil, err
	}
	product, byRoom := 0, map[string]int{}
	for _, s := range sources {
		code, _ := countLines(s.text)
		if room := roomOf(s.folder); room != "" {
			product += code
			byRoom[room] += code
		}
	}
	tests, err := testLines(root)
	if err != nil {
		return nil, err
	}
	floors, arrows, rooms, err := structure(root)
	if err != nil {
		return nil, err
	}
	all := []mark{{"product", product}, {"tests", tests}, {"rooms", rooms}, {"floors", floors}, {"arrows", arrows}}
	for room, lines := range byRoom {
		all = append(all, mark{"room " + room, lines})
	}
	slices.SortFunc(all[5:], func(a, b mark) int { return strings.Compare(a.name, b.name) })
	return all, nil
}

// roomOf is the room that a folder belongs to: cmd, or the first folder below internal/; ""
// for anything else.
func roomOf(folder string) string {
	parts := strings.Split(filepath.ToSlash(folder), "/")
	switch {
	case parts[0] == "cmd":
		return "cmd"
	case parts[0] == "internal" && len(parts) > 1:
		return parts[1]
	}
	return ""
}

// testLines counts the lines of code in files named *_test.go and in everything below test/.
func testLines(root string) (int, error) {
	total := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, _ := filepath.Rel(root, path)
		if entry.IsDir() {
			if entry.Name() == "testdata" || below != "." && strings.HasPrefix(entry.Name(), ".") {
				return filepath.SkipDir
			}
			return nil
		}
		isTest := strings.HasSuffix(path, "_test.go") || strings.HasPrefix(filepath.ToSlash(below), "test/")
		if !strings.HasSuffix(path, ".go") || !isTest {
			return nil
		}
		text, err := os.ReadFile(path)
		code, _ := countLines(strings.Split(string(text), "\n"))
		total += code
		return err
	})
	return total, err
}

// structure counts the floors (the longest way of imports from a command to a leaf), the
// arrows (imports between rooms) and the rooms.
func structure(root string) (floors, arrows, rooms int, err error) {
	said, err := goCommand(root, "list", "-json=ImportPath,Imports", "./internal/...", "./cmd/...").Output()
	if err != nil {
		return 0, 0, 0, fmt.Errorf("go list: %w", err)
	}
	const module = "github.com/reaperd/reaperd/"
	imports := map[string]map[string]bool{}
	for decoder := json.NewDecoder(strings.NewReader(string(said))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return 0, 0, 0, err
		}
		from := roomOf(strings.TrimPrefix(p.ImportPath, module))
		if imports[from] == nil {
			imports[from] = map[string]bool{}
		}
		for _, path := range p.Imports {
			if to := roomOf(strings.TrimPrefix(path, module)); strings.HasPrefix(path, module) && to != "" && to != from {
				imports[from][to] = true
			}
		}
	}
	for _, to := range imports {
		arrows += len(to)
	}
	for room := range imports {
		floors = max(floors, floor(room, imports, map[string]int{}))
	}
	return floors, arrows, len(imports), nil
}

// floor is on which floor a room stands; a leaf stands on the first. A room that is asked
// for while it is being worked out is in a circle, which counts once.
func floor(room string, imports map[string]map[string]bool, known map[string]int) int {
	if at, done := known[room]; done {
		return at
	}
	known[room] = 0
	at := 1
	for below := range imports[room] {
		at = max(at, 1+floor(below, imports, known))
	}
	known[room] = at
	return at
}

// readRatchet reads the marks of a file.
func readRatchet(file string) (map[string]int, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	found := map[string]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, number, ok := cutLast(lines.Text())
		if strings.HasPrefix(lines.Text(), "#") || !ok {
			continue
		}
		if found[name], err = strconv.Atoi(number); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", file, lines.Text(), err)
		}
	}
	return found, nil
}

func cutLast(line string) (name, last string, ok bool) {
	at := strings.LastIndexByte(line, ' ')
	if at < 0 {
		return "", "", false
	}
	return line[:at], line[at+1:], true
}

// faults say what of a tree exceeds its marks, or is far below one.
func faults(now []mark, held map[string]int) (faults []string) {
	for _, m := range now {
		most, known := held[m.name]
		switch {
		case !known:
			faults = append(faults, fmt.Sprintf("%s %d is not held: go run ./hack/house -lower", m.name, m.value))
		case m.value > most:
			faults = append(faults, fmt.Sprintf("%s is %d and may be %d: it may only fall", m.name, m.value, most))
		case (most-m.value)*100 > most*slack:
			faults = append(faults, fmt.Sprintf("%s is %d, and %d is held: go run ./hack/house -lower", m.name, m.value, most))
		}
	}
	return faults
}

// lower writes the marks of a tree, none of them higher than before.
func lower(root string) error {
	now, err := marks(root)
	if err != nil {
		return err
	}
	file := filepath.Join(root, ratchetFile)
	held, err := readRatchet(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text := "# What the house may be at the most: go run ./hack/house -lower\n"
	for _, m := range now {
		if most, known := held[m.name]; known {
			m.value = min(m.value, most)
		}
		text += fmt.Sprintf("%s %d\n", m.name, m.value)
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

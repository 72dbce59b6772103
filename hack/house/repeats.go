package main

import (
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// blockLines is how many lines of code a block has to have to count as repeated.
const blockLines = 6

// duplicatedLines counts the lines of code that belong to a block of blockLines
// lines which stands somewhere else too, with the same words and other values of
// its literals.
func duplicatedLines(sources []source) int {
	type place struct{ file, line int }
	blocks := map[string][]place{}
	shapes := make([][]string, len(sources))
	for i, s := range sources {
		shapes[i] = lineShapes(s)
		for line := range max(0, len(shapes[i])-blockLines+1) {
			block := shapes[i][line : line+blockLines]
			if tells(block) {
				key := strings.Join(block, "\n")
				blocks[key] = append(blocks[key], place{i, line})
			}
		}
	}
	repeated := map[place]bool{}
	for _, places := range blocks {
		if len(places) < 2 {
			continue
		}
		for _, p := range places {
			for line := range blockLines {
				repeated[place{p.file, p.line + line}] = true
			}
		}
	}
	return len(repeated)
}

// lineShapes are the lines of code of a file without comments, imports and
// layout, literals replaced by their kind.
func lineShapes(s source) []string {
	text := []byte(strings.Join(s.text, "\n"))
	files := token.NewFileSet()
	file := files.AddFile(s.path, files.Base(), len(text))
	var reader scanner.Scanner
	reader.Init(file, text, nil, 0)
	byLine := map[int][]string{}
	body := fileSet.Position(s.syntax.Name.End()).Line
	for _, spec := range s.syntax.Imports {
		body = max(body, fileSet.Position(spec.End()).Line+1)
	}
	for {
		position, kind, literal := reader.Scan()
		if kind == token.EOF {
			break
		}
		if kind == token.SEMICOLON && literal == "\n" {
			continue
		}
		word := kind.String()
		if kind == token.IDENT {
			word = literal
		}
		if line := file.Line(position); line > body {
			byLine[line] = append(byLine[line], word)
		}
	}
	return inOrder(byLine)
}

func inOrder(byLine map[int][]string) []string {
	lines := make([]int, 0, len(byLine))
	for line := range byLine {
		lines = append(lines, line)
	}
	slices.Sort(lines)
	shapes := make([]string, 0, len(lines))
	for _, line := range lines {
		shapes = append(shapes, strings.Join(byLine[line], " "))
	}
	return shapes
}

// tells whether a block says enough to be a repetition: closing braces alone and
// rows of a table are none.
func tells(block []string) bool {
	words, rows := 0, 0
	for _, line := range block {
		words += len(strings.Fields(line))
		if strings.HasPrefix(line, "{") || strings.HasSuffix(line, ",") {
			rows++
		}
	}
	return words >= 4*blockLines && rows < blockLines/2
}

package main

import (
	"go/ast"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// unusedNames are the exported functions, types, constants and variables of
// packages below internal/ that no other package that ships names, as
// "folder.Name", and how many exported names there are. Methods and fields are
// left out: which of them an interface or an encoder needs cannot be told from
// the text alone.
func unusedNames(sources []source) (exported int, unused []string) {
	used := map[string]bool{}
	for _, s := range sources {
		for _, name := range namesUsed(s) {
			used[name] = true
		}
	}
	seen := map[string]bool{}
	for _, s := range sources {
		if !strings.HasPrefix(s.folder, "internal/") {
			continue
		}
		for _, name := range namesExported(s.syntax) {
			full := filepath.ToSlash(s.folder) + "." + name
			if seen[full] { // one name for each system
				continue
			}
			seen[full] = true
			exported++
			if !used[full] {
				unused = append(unused, full)
			}
		}
	}
	slices.Sort(unused)
	return exported, unused
}

// namesUsed are the names of other packages of this module that a file uses.
func namesUsed(s source) []string {
	folders := map[string]string{} // by the name the file has for the package
	for _, spec := range s.syntax.Imports {
		full := strings.Trim(spec.Path.Value, `"`)
		_, below, ours := strings.Cut(full, "/reaperd/reaperd/")
		if !ours {
			continue
		}
		name := path.Base(below)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		folders[name] = below
	}
	var names []string
	ast.Inspect(s.syntax, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := selector.X.(*ast.Ident); ok && folders[x.Name] != "" {
			names = append(names, folders[x.Name]+"."+selector.Sel.Name)
		}
		return true
	})
	return names
}

// namesExported are the exported names that a file declares at package level.
func namesExported(file *ast.File) []string {
	var names []string
	add := func(name *ast.Ident) {
		if name.IsExported() {
			names = append(names, name.Name)
		}
	}
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(d.Name)
			}
		case *ast.GenDecl:
			if d.Tok != token.IMPORT {
				eachName(d, add)
			}
		}
	}
	return names
}

func eachName(declaration *ast.GenDecl, visit func(*ast.Ident)) {
	for _, spec := range declaration.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			visit(s.Name)
		case *ast.ValueSpec:
			for _, name := range s.Names {
				visit(name)
			}
		}
	}
}

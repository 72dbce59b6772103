package main

import (
	"cmp"
	"debug/elf"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// weigh prints how many megabytes of the program come from whom: modules, Go's own
// packages by what they are for, and reaperd. A symbol counts for its package. What
// belongs to no symbol, half of the file (tables of functions and lines, types), is
// shared out in proportion.
func weigh(out io.Writer, root, tags string) error {
	binary := filepath.Join(os.TempDir(), fmt.Sprintf("house-weigh-%d", os.Getpid()))
	defer os.Remove(binary)
	size, err := sizeOf(root, tags)
	if err != nil {
		return err
	}
	if said, err := goCommand(root, "build", "-trimpath", "-tags="+tags, "-o", binary, "./cmd/reaperd").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, said)
	}
	sums, err := sumSymbols(binary)
	if err != nil {
		return err
	}
	total := uint64(0)
	for _, sum := range sums {
		total += sum
	}
	for _, of := range slices.SortedFunc(maps.Keys(sums), func(a, b string) int { return cmp.Compare(sums[b], sums[a]) }) {
		if share := float64(sums[of]) / float64(total) * float64(size) / 1e6; share >= 0.05 {
			fmt.Fprintf(out, "%5.2f MB  %s\n", share, of)
		}
	}
	return nil
}

// sumSymbols are the bytes of the symbols in a program's file, by where they are from.
func sumSymbols(binary string) (map[string]uint64, error) {
	file, err := elf.Open(binary)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		return nil, fmt.Errorf("read symbols: %w", err)
	}
	sums := map[string]uint64{}
	for _, s := range symbols {
		inFile := int(s.Section) < len(file.Sections) && file.Sections[s.Section].Type == elf.SHT_PROGBITS
		if of := originOf(s.Name); inFile && of != "" {
			sums[of] += s.Size
		}
	}
	return sums, nil
}

// originOf is the module or the part of Go that a symbol is from; empty for those of
// the linker's own.
func originOf(symbol string) string {
	name, _, _ := strings.Cut(strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(symbol, "type:.eq."), "go:itab."), "*"), "[")
	if strings.Contains(name, ":") {
		return ""
	}
	folder, last := filepath.Split(name)
	last, _, _ = strings.Cut(last, ".")
	path := folder + last
	first, _, _ := strings.Cut(path, "/")
	parts := 2
	if first == "github.com" || first == "golang.org" {
		parts = 3
	}
	switch {
	case path == "main" || strings.HasPrefix(path, "github.com/reaperd/"):
		return "reaperd"
	case strings.Contains(first, "."):
		return strings.Join(strings.Split(path, "/")[:min(parts, strings.Count(path, "/")+1)], "/")
	case first == "crypto" || strings.HasPrefix(path, "vendor/golang.org/x/crypto") || path == "encoding/asn1" || path == "math/big":
		return "Go: crypto (TLS to an engine)"
	case first == "net" || first == "mime" || first == "vendor":
		return "Go: net, net/http"
	case first == "runtime" || path == "internal/runtime":
		return "Go: runtime"
	}
	return "Go: the rest"
}

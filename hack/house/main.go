// Command house measures the code of reaperd, so that a change of it can be
// compared with what was there before:
//
//	go run ./hack/house            the tree as it is
//	go run ./hack/house -against v0.3.0   that revision beside it
//	go run ./hack/house -lower     lowers the ratchet to the tree, which tests hold
//
// Code lines are lines that are neither blank nor a comment line, of files that
// ship: no tests, nothing below test/ and hack/. What each figure means stands
// above the function that takes it.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"text/tabwriter"
)

func main() {
	against := flag.String("against", "", "a revision to compare with")
	names := flag.Bool("names", false, "list the exported names that no other package uses")
	build := flag.Bool("build", true, "build the binary and measure it")
	weights := flag.Bool("weights", false, "say how many megabytes of the program come from which module")
	tags := flag.String("tags", "notop", "the build tags of the program that is weighed")
	lowers := flag.Bool("lower", false, "lower the ratchet to what the tree measures")
	flag.Parse()
	if *lowers {
		if err := lower("."); err != nil {
			fmt.Fprintln(os.Stderr, "house:", err)
			os.Exit(1)
		}
		return
	}
	if *weights {
		if err := weigh(os.Stdout, ".", *tags); err != nil {
			fmt.Fprintln(os.Stderr, "house:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(os.Stdout, *against, *names, *build); err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, against string, names, build bool) error {
	now, err := measure(".", build)
	if err != nil {
		return err
	}
	if names {
		for _, name := range now.unused {
			fmt.Fprintln(out, name)
		}
		return nil
	}
	if against == "" {
		return print(out, nil, now)
	}
	folder, err := checkOut(against)
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	before, err := measure(folder, build)
	if err != nil {
		return fmt.Errorf("measure %s: %w", against, err)
	}
	return print(out, &before, now)
}

// checkOut writes the files of a revision into a new folder, which the caller
// removes.
func checkOut(revision string) (string, error) {
	folder, err := os.MkdirTemp("", "house-")
	if err != nil {
		return "", err
	}
	archive := filepath.Join(folder, "tree.tar")
	for _, command := range [][]string{
		{"git", "archive", "-o", archive, revision},
		{"tar", "-x", "-f", archive, "-C", folder},
	} {
		if said, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			os.RemoveAll(folder)
			return "", fmt.Errorf("%s %s: %w: %s", command[0], command[1], err, said)
		}
	}
	return folder, nil
}

// print writes one figure a line, the older one first where there is one.
func print(out io.Writer, before *house, now house) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if before == nil {
		for _, figure := range now.figures() {
			fmt.Fprintf(table, "%s\t%s\n", figure.name, figure.value)
		}
		return table.Flush()
	}
	fmt.Fprintln(table, "\tbefore\tnow")
	old := map[string]string{}
	listed := map[string]bool{}
	for _, figure := range before.figures() {
		old[figure.name] = figure.value
	}
	for _, figure := range now.figures() {
		listed[figure.name] = true
		fmt.Fprintf(table, "%s\t%s\t%s\n", figure.name, orDash(old[figure.name]), figure.value)
	}
	for _, figure := range before.figures() {
		if !listed[figure.name] {
			fmt.Fprintf(table, "%s\t%s\t–\n", figure.name, figure.value)
		}
	}
	return table.Flush()
}

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

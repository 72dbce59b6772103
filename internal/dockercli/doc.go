// Package dockercli reads the command lines of container clients: docker,
// podman, nerdctl and finch. An argument vector goes in, a [Line] comes out; no
// shell, no engine, no host.
//
// To say which container a `docker run` belongs to one has to find the image in
// its arguments, and for that one has to know which flags take a value. The
// flags are data (flags.go), the union of what docker 28, podman 5 and nerdctl 2
// document: their grammars agree wherever they share a name.
//
// What cannot be told is not guessed. Behind a flag that the table does not
// know nothing is read: [Line.Unknown] names the flag and Image stays empty,
// which is consistent with every container and proves nothing about any.
// Likewise two image references can be the same, be different, or neither
// ([SameImage], [DifferentImage]): an image id, or a tag beside a digest, may be
// the same image or not.
//
// Environment variables may be secrets: they are skipped.
package dockercli

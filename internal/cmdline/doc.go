// Package cmdline reads argument vectors as people and programs write them, and
// finds the program that runs in the end. It is a pure leaf: arguments go in, a
// [Command] comes out; no shell, no host.
//
// A vector is read from the outside in. Each layer is a row of one table:
//
//	layer        file             rows, such as          what a row says
//	wrapper      wrappers.go      env, sudo, timeout     where the program stands behind its flags
//	shell        shells.go        sh, bash, cmd          its -c takes a line (line.go)
//	launcher     launchers.go     npx, uvx, npm, make    which subcommand runs a package, a program, a task
//	interpreter  interpreters.go  node, python3, java    which flags come before the script or module
//
// What a container client was asked to do is read apart from that, by
// [ReadContainer]: its program runs somewhere else.
//
//	container client   container_flags.go  docker, podman, finch  which flags take a value
//	image reference    image.go                                   which two are the same, differ, or neither
//
// A row is data: names, flags that take a value, where the program stands. A new
// launcher is a row and a line in a test. Names of programs, scripts and packages
// are in paths.go, everyday tools in tools.go.
//
// Shell lines are read by a lexer of our own (line.go) and not by a parser of
// the shell language. The lexer knows quotes, escapes, comments, pipelines and
// lists, makes words of what only a running shell can resolve, and takes any
// text: a line that was cut off still has a first word. mvdan.cc/sh 3.14 was
// weighed: it reads nothing of a line with an open quote, takes 7.6 µs instead
// of 1.8 µs for a line of 90 bytes (BenchmarkLineProgram) and adds 0.85 MB to a
// program. What it knows more, here-documents and arithmetic, names no program.
package cmdline

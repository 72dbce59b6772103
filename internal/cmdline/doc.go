// Package cmdline reads argument vectors as people and programs write them. [Read]
// finds the program that runs in the end; [ReadContainer] reads what a container
// CLI was asked to do. Both are pure: they run no shell and look at no file.
//
// [Read] takes off one layer after the other, from the outside. Each kind of layer is
// a table, and each program a row of it:
//
//	layer            file                rows, such as         a row says
//	wrapper          wrappers.go         env, sudo, timeout    where the program stands behind the flags
//	shell            shells.go, line.go  sh, bash, cmd         that the word behind -c is a shell line
//	launcher         launchers.go        npx, uvx, npm, make   which subcommand runs a package, a program or a task
//	interpreter      interpreters.go     node, python3, java   which flags stand before the script or module
//	container CLI    container_flags.go  docker, podman        which flags take a value
//
// A new launcher is a row and a line in a test. Further tables: image.go compares
// image references, paths.go names programs, scripts and packages, tools.go lists
// everyday tools.
package cmdline

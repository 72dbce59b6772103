// Package cmdline reads argument vectors as people and programs write them. [Read] finds the
// program that runs in the end, by taking off one layer after the other; [ReadContainer] reads
// what a container CLI was asked to do. Both are pure. Each kind of layer is a table:
//
//	wrapper          wrappers.go         env, sudo, timeout
//	shell            shells.go, line.go  sh -c
//	launcher         launchers.go        npx, uvx, npm, make
//	interpreter      interpreters.go     node, python3, java
//	container CLI    container_flags.go  docker, podman
package cmdline

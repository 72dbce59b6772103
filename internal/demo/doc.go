// Package demo is `reaperd demo`: a leak and its end with real processes, in namespaces of its
// own, where nothing can see or end a process of the host. Each process is this program with a
// [part] in its environment:
//
//	reaperd demo               outside: waits, and ends the world on an interrupt
//	└ the first process        mounts, reaps zombies
//	  └ the director           tells the story ([director.play]), and fails where it is untrue
//	    └ reaperd run, claude, codex with their servers, and the screens
package demo

//go:build linux

// Actor plays one process of a live test world: see package actor.
package main

import (
	"fmt"
	"os"

	"github.com/reaperd/reaperd/test/farm/actor"
)

func main() {
	status, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "actor:", err)
		os.Exit(1)
	}
	os.Exit(status)
}

func run() (int, error) {
	if len(os.Args) == 2 && os.Args[1] == actor.Metadata {
		fmt.Println(actor.About)
		return 0, nil
	}
	if os.Getenv(actor.EnvInit) != "" {
		return actor.Init(os.Args[1:])
	}
	return 0, actor.Play()
}

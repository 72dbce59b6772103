// Command server stands in for an MCP server in a container: it obeys, or it
// ignores the end of its input, or SIGTERM, as its first argument says.
package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	mode := "obey"
	if len(os.Args) > 1 {
		mode = os.Args[1]
	}
	terminated := make(chan os.Signal, 1)
	if mode == "ignore-term" {
		signal.Ignore(syscall.SIGTERM)
	} else {
		signal.Notify(terminated, syscall.SIGTERM)
	}
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		if mode == "obey" {
			close(ended)
		}
	}()
	fmt.Println("ready")
	select {
	case <-terminated:
	case <-ended:
	case <-time.After(time.Hour): // nothing it is started for lasts as long
	}
}

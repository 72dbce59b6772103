//go:build !linux

package main

import "github.com/reaperd/reaperd/internal/supervise"

func superviseServer(line supervise.Line) error { return exitWith(supervise.Run(line)) }

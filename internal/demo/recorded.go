package demo

import _ "embed"

// recorded is what the demo once said, on Linux.
//
//go:embed recorded.txt
var recorded string

// Recorded is the output of a demo on Linux, for systems that cannot play it.
func Recorded() string { return recorded }

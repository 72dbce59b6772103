//go:build !linux

package ownfile

import "os"

// As runs do with our own rights to files, since those of one thread cannot be
// changed here, and tells it whether they are the user's.
func As(uid int, do func(asUser bool)) { do(uid == os.Geteuid()) }

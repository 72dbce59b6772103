//go:build !linux

package ownfile

import "os"

// As runs do with reaperd's own rights to files, because one thread's rights cannot
// be changed here. asUser tells do whether these are the user's.
func As(uid int, do func(asUser bool)) { do(uid == os.Geteuid()) }

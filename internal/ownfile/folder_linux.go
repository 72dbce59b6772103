package ownfile

import "golang.org/x/sys/unix"

// folderFlags open a folder to find files in it.
const folderFlags = unix.O_PATH

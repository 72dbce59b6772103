package ownfile

import (
	"errors"
	"io/fs"
	"os"
)

// Nameless is the cause in an error about a file, without the name: of a file that is replaced as a whole
// the error names a temporary one beside it.
func Nameless(err error) error {
	var opened *fs.PathError
	var renamed *os.LinkError
	switch {
	case errors.As(err, &opened):
		return opened.Err
	case errors.As(err, &renamed):
		return renamed.Err
	}
	return err
}

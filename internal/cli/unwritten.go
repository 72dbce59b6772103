package cli

import (
	"io"
	"os"
)

// noted is a stream that keeps the first error of its writes.
type noted struct {
	io.Writer
	err error
}

func (n *noted) Write(data []byte) (int, error) {
	written, err := n.Writer.Write(data)
	if n.err == nil {
		n.err = err
	}
	return written, err
}

// Noted returns t with an Out that keeps the first error of its writes, for Unwritten.
func (t Terminal) Noted() Terminal {
	t.Out = &noted{Writer: t.Out}
	return t
}

// Unwritten returns why a part of the answer could not be written to a noted Out. It is nil if all of
// it was written, and if Out is not noted.
func (t *Terminal) Unwritten() error {
	if out, is := t.Out.(*noted); is {
		return out.err
	}
	return nil
}

// fileOf returns the file behind a stream.
func fileOf(stream any) (file *os.File, is bool) {
	if out, is := stream.(*noted); is {
		stream = out.Writer
	}
	file, is = stream.(*os.File)
	return file, is
}

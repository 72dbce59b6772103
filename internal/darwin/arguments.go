package darwin

import "bytes"

// Arguments is what a process was started with.
type Arguments struct {
	Exe  string
	Argv []string
	// Environment holds NAME=value entries, each ended by a NUL.
	Environment []byte
	// Withheld means that the kernel keeps the environment secret, as for Apple's own
	// programs (cs_restricted). For any other program something follows the arguments
	// even if the environment is empty: strings that the kernel adds for the loader.
	Withheld bool
}

// decodeArguments reads kern.procargs2: the number of arguments, the path of the
// executable, padding of NULs, the arguments, the environment. Empty arguments are
// kept, but an empty first one looks like padding. It returns false if arguments are
// missing.
func decodeArguments(data []byte) (Arguments, bool) {
	if len(data) < 4 {
		return Arguments{}, false
	}
	count := int(int32(number32(data, 0)))
	exe, rest, ok := bytes.Cut(data[4:], []byte{0})
	if !ok || count < 0 || count > len(data) {
		return Arguments{}, false
	}
	found := Arguments{Exe: string(exe), Argv: make([]string, 0, count)}
	rest = bytes.TrimLeft(rest, "\x00")
	for range count {
		argument, more, ok := bytes.Cut(rest, []byte{0})
		if !ok {
			return Arguments{}, false
		}
		found.Argv = append(found.Argv, string(argument))
		rest = more
	}
	found.Environment, found.Withheld = rest, len(bytes.Trim(rest, "\x00")) == 0
	return found, true
}

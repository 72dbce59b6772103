package supervise

import "os"

// init runs the supervisor before the rest of the program is initialised. It is the
// project's only init: `reaperd exec` waits beside every server of every session, and
// initialising the daemon's libraries takes 20 ms and 9 MB, whether they are used or
// not. Go initialises packages in the order of their import paths as soon as their
// imports are initialised, so a package with few imports comes first; a test holds
// that.
//
// This init only handles the plain form `reaperd exec [--grace D] [--name N] --
// command`. Everything else, errors included, is left to the ordinary command. After
// it has read a container's command line, that command executes this program again in
// the plain form.
func init() {
	if len(os.Args) < 2 || os.Args[1] != "exec" {
		return
	}
	line, plain := parseLine(os.Args[2:], os.LookupEnv)
	if !plain {
		return
	}
	prepared, isPrepared := os.LookupEnv(preparedVariable)
	switch {
	case isPrepared:
		line.Container, _ = parseContainer(prepared)
	case mayRunContainer(line.Args[0]):
		return
	}
	os.Exit(Run(line))
}

package supervise

import "os"

// init runs the supervisor before the rest of the program is initialised. It is
// the only init of the project, for this reason: `reaperd exec` waits beside
// every server of every session. Initialising the libraries of the daemon takes
// 20 ms and 9 MB, and they are initialised whether they are used or not. The
// language initialises packages in the order of their import paths as soon as
// what they import is initialised, so a package that imports little comes first;
// a test holds that.
//
// Whatever is not as plain as `reaperd exec [--grace D] [--name N] -- command`
// is left to the ordinary command, which comes back here when it has read a
// container's command line, and knows how to complain.
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
	case MayRunContainer(line.Args[0]):
		return
	}
	os.Exit(Run(line))
}

package dockercli

// Run reads the command line of a client that runs a container, and says at
// which index of argv, behind the word run, a flag of run may be put in. False
// says that it is no such line: another command, or a client that runs inside
// of a virtual machine, whose files are not this host's.
func Run(argv []string) (line Line, at int, ok bool) {
	program, rest, isClient := client(argv)
	if !isClient || len(argv)-len(rest) != 1 {
		return Line{}, 0, false
	}
	r := reader{line: Line{Program: program}, args: rest}
	r.global()
	word, more := r.next()
	if more && word == "container" {
		word, _ = r.next()
	}
	if r.line.Unknown != "" || word != "run" {
		return Line{}, 0, false
	}
	line, _ = Parse(argv)
	return line, len(argv) - len(r.args), true
}

// Package matters decides which processes can matter to a verdict. The others are
// neither read closely nor listed nor judged. It is pure; in doubt a process matters.
//
//	a process matters if it                                         because
//	is a session, gateway, server or `docker run`                    it is judged: it is read whole, with all below it
//	is above a process that matters                                 it may be its owner
//	holds an end of the stdin or stdout of one that matters         it may be its owner
//	may be in one tree with one that matters                        it lives and is reaped with it
//	  (below a parent with the same stdin, a relay, a pipeline)
//	has arguments that are not known                                it may be a container's runner
//	is the monitor of a container (a shim, conmon)                  it names the container of what is below it
//	is named by an environment, a label or the memory               it may be an owner
//	is dead, and its parent matters                                 it counts as that parent's zombie
//
// A [Rule] decides about single processes while a look is made. Tests over recorded and
// random worlds hold that what it selects leads to the same verdicts as the whole table.
package matters

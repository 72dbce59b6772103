// Package reap carries out a plan: it ends process trees and containers and reports each outcome.
//
//	question                          answer
//	how is a process signalled?       never by number: reap opens a handle (Linux: pidfd; macOS: kqueue and unique id), reads the
//	                                  table again, and signals only if the start mark is that of the planned process
//	how is a tree ended?              a last look at the evidence; SIGSTOP top-down until two readings show it still and
//	                                  without new children; SIGTERM, SIGCONT; its grace; SIGSTOP; SIGKILL for the rest
//	why freeze first?                 asking first leaves survivors of a fork storm in ten of ten runs, this order in none
//	what if a process escapes?        proven to come from the tree: it is killed; likely: it is reported ([Reaper].Kin);
//	                                  one that sleeps and cannot be read is named, and the act is over without it
//	what if the tree has a cgroup?    one that `reaperd exec` made is killed as one, if it held nothing else when the tree stood
//	                                  still. Others may be joined by strangers, and no cgroup is ever frozen
//	what if the act is broken off?    what reap has stopped and not killed is continued, on errors and panics too
//	how is a container ended?         by its full id, before its `docker run`, which then exits by itself; if that fails the
//	                                  runner is kept, because killing it would leak the container
//	how is a gateway ended?           it is frozen, so that it starts nothing; then the targets below it are ended, then it
//	how many acts run at once?        [Options].Concurrency; users take turns; an act that waits for a grace, the kernel or
//	                                  an engine gives its place to another
//	what is recorded?                 the intention before the first signal, the outcome after; without the first nothing begins
//
// reap never signals a process group: it may contain strangers. Plans may overlap ([Reaper.Begin]);
// they share places, readings, and which act works on which process ([Shared]).
package reap

// Package reap carries out a plan: it ends process trees and containers, and reports outcomes.
//
// It never signals by number or by group. It opens a handle, reads the table again, and signals
// only the planned process. A tree is frozen from the top until nothing in it moves, then asked
// (SIGTERM), continued, and after its grace frozen and killed; asking first leaves survivors of
// a fork storm. Whatever it stopped and did not kill is continued. A container ends by its id
// before its `docker run`; a gateway is frozen while what is below it ends. The intention is
// recorded first. Plans may overlap ([Reaper.Begin], [Shared]).
package reap

// Package screen writes what an account says as text for a terminal, and as JSON:
//
//	Scan     the tree: what leaks, what is kept, what is in use     scan.go
//	Plan     what a sweep would stop; Result what it stopped        sweep.go
//	Explain  all that is known of one thing                         explain.go
//	Status   the decider and the sums; Short is for a prompt        status.go
//	History  what was done; Pins what people keep                   history.go
//	JSON     all of these for programs, version 1                   json.go
//
// It derives nothing: every word is the account's. No line is wider than the terminal.
package screen

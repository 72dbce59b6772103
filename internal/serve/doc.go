// Package serve shows over HTTP what the daemon last saw: metrics, health, the last
// report, the tree of what runs, and a page that shows it live. It is read-only.
// After each sweep the daemon hands an [Update] to [Metrics.Publish]; a request sees
// one update, never parts of two. A [Server] has two endpoints:
//
//	endpoint      who can ask             what it carries
//	TCP port      every user of the host  metrics and health; loopback names only, so no web page can read it by rebinding a
//	                                      name; a new connection displaces one that never finishes its request
//	Unix socket   every user about that   the account, what is known of a thing, what was stopped, orders; a [Visit]
//	              user's own things       brings what is read, and the page, to one browser of that user
//
// Whoever follows gets the account of each look; one that is slow is dropped.
//
//	rule for metrics     why
//	labels are bounded   they hold no PID, argument or path; beyond [maxClients] names a client is "other"
//	gauges stay at 0     an alert sees them rise and fall; counters begin at 0 for every value known beforehand
//	one list             [Describe] documents every metric; no other package knows client_golang
package serve

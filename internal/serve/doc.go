// Package serve carries an account: who asks over the socket is answered about that user's own things,
// and gives orders. The daemon's metrics, health and page are read-only.
// After each sweep the daemon hands an [Update] to [Metrics.Publish]; a request sees
// one update, never parts of two. A [Server] has two endpoints:
//
//	endpoint      who can ask             what it carries
//	TCP port      every user of the host  metrics and health; loopback names only, so no web page can read it by rebinding a
//	                                      name; a new connection displaces one that never finishes its request
//	Unix socket   root's (0666): each     an [account.Asker], both ways; the kernel says who calls, and bounds hold for each user;
//	              user; a user's (0600):  the page, for the daemon's own user and root: a [Visit] brings it to one browser
//	              that user
//
//	rule for metrics     why
//	labels are bounded   they hold no PID, argument or path; beyond [maxClients] names a client is "other"
//	gauges stay at 0     an alert sees them rise and fall; counters begin at 0 for every value known beforehand
//	one list             [Describe] documents every metric; no other package knows client_golang
package serve

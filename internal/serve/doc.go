// Package serve carries an account. After each sweep the daemon hands an [Update] to
// [Metrics.Publish]; a request sees one update whole. A [Server] has two endpoints:
//
//	TCP port      metrics and health, for every user of the host, under loopback names only
//	Unix socket   an [account.Asker] both ways, and the page; the kernel says who calls, and each
//	              user is answered about that user's own things
//
// Metrics are bounded: no PID, argument or path is in a label, and beyond [maxClients] a client
// is "other". [Describe] documents each; no other package knows their library.
package serve

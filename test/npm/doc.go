// Package npm is the live test with servers that others wrote: MCP servers
// from npm, below two clients of the official TypeScript SDK. One client is
// killed with a tool call in flight. Nothing of it may be left, and the other
// must go on getting answers.
//
// It runs where node and npm are and REAPERD_TEST_NPM=1 is set. The packages,
// of pinned versions, are installed once below the user's cache folder; the
// world itself has no network but its loopback.
package npm

// Package npm is the live test with programs that others wrote and npm gives. One test has MCP
// servers below two clients of the official TypeScript SDK, of which one is killed with a call in
// flight. The other has real clients and gateways, each of them twice: reaperd must call each by
// its name, one of each is killed, its servers must go, and all others stay. No model is needed:
// codex, qwen, mcporter, mcp-cli and the gateways start their servers without one; continue and
// cline listen to one that never comes to an end.
//
// It runs as root on Linux with node and npm, where REAPERD_TEST_NPM=1 is set. The packages are
// installed once below the user's cache folder (1.4 GB); worlds have no network but loopback.
package npm

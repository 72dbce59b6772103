// Package npm is the live test with programs that others wrote and npm gives.
//
// One test has MCP servers below two clients of the official TypeScript SDK. One
// client is killed with a tool call in flight. Nothing of it may be left, and
// the other must go on getting answers.
//
// The other one has real clients and gateways, each of them twice: codex
// app-server, qwen --acp, continue, cline, mcporter's daemon, mcp-cli, mcp-hub,
// mcp-proxy and supergateway with three clients. reaperd must call each by its
// name, and its servers by the names in that client's own configuration; one of
// each is killed, its servers must go, and all others stay. No model is needed:
// codex, qwen, mcporter, mcp-cli and the gateways start their servers without
// one; continue and cline listen to one that never comes to an end.
//
// It runs as root on Linux, where node and npm are and REAPERD_TEST_NPM=1 is
// set. The packages, of pinned versions, are installed once below the user's
// cache folder (1.4 GB); the worlds themselves have no network but their
// loopback.
package npm

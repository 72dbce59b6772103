//go:build linux

package leaks

import "strings"

// Shipped is the shipped policy without its waits. A client's ten seconds of
// grace for closing a server are the program's own and stay.
const Shipped = `version: 1
extends: builtin
mode: enforce
schedule: "@every 1s"
rules:
  - {name: orphaned-servers, for: 1s, grace: 1s}
  - {name: orphaned-gateways, for: 1s, grace: 1s}
  - {name: orphaned-containers, for: 1s, grace: 1s}
  - {name: disconnected-servers, for: 1s, grace: 1s}
  - {name: zombie-gateways, for: 1s, grace: 1s}
  - {name: respawning-gateways, for: 1s, grace: 1s, match: {kind: gateway, finding: respawning, respawns_over: 4}}
  - {name: exited-leftovers, for: 1s}
  - {name: listening-orphans, for: 1s, grace: 1s}
  - {name: duplicates, for: 1s, grace: 1s, match: {kind: [server, container], finding: duplicate, idle_for: 1s}}
  - {name: orphaned-sessions, for: 1s, grace: 1s}
`

// Everything is the same where the rules that only report end what they find.
func Everything() string { return With("listening-orphans", "duplicates", "orphaned-sessions") }

// With is [Shipped] where these rules, which only report, end what they find.
func With(rules ...string) string {
	text := Shipped
	for _, rule := range rules {
		text = strings.Replace(text, "{name: "+rule+",", "{name: "+rule+", action: terminate,", 1)
	}
	return text
}

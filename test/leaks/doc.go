// Package leaks plays the five published leaks that reaperd was asked for
// (R0 docker/mcp-gateway#483, R1 openclaw/openclaw#75323, R2 openclaw with
// native servers, R3 openai/codex#18881, R4 DollhouseMCP), and what published
// tools took from a live session, as live worlds (package farm).
//
// They are judged by the built program with the shipped policy, whose durations
// an override shortens ([Shipped]); what must be kept is kept also where every
// rule of it ends what it finds ([Everything]).
//
// The same worlds are swept by the workarounds of the reports in package bench.
package leaks

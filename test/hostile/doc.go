// Package hostile attacks the real program in namespaces of its own: as malicious users
// would attack root's daemon, and with the faults of failing hosts. Each test is a row of
// the threat model in SECURITY.md: it names the attacker and the means, and shows that
// reaperd withstands it.
package hostile

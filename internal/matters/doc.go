// Package matters decides which processes can matter to a verdict; the others are neither read
// closely nor judged. In doubt a process matters: a session, gateway, server or runner; what is
// above or in one tree with it, or holds an end of its stdio; what an environment, a label or
// the memory names; one whose arguments are not known. A [Rule] decides while a look is made.
package matters

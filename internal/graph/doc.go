// Package graph works out what a snapshot means: which live session owns each
// MCP server and each container, and what is wrong with those that nobody owns.
//
// It decides per tree. A server is the tree from its outermost wrapper down; a
// wrapper is known by what it does, pass its stdin on, so a whole chain of
// launchers has one stdin. From the root of a tree ownership is looked for in a
// fixed order:
//
//  1. a live ancestor that is no boundary (init, subreaper, shim),
//  2. whoever holds the other ends of its stdin and stdout,
//  3. what is remembered and what it declares: these explain and may keep, and
//     never condemn,
//  4. a service manager, 5. clients of what it listens on.
//
// What none of these speaks for is a leak only if both ends of its stdio are
// gone as well. The second rule is a mark and sweep: every live process that is
// no server is a root, marks pass from holder to held and from parent to child,
// and what stays unmarked is leaked, two orphans that hold each other included.
//
// A container belongs to the `docker run` client that started it. Where argv
// does not name it, clients and containers of one class are matched, and a
// container is orphaned only if no assignment could give it to a client that
// still lives.
//
// Where something could not be seen the answer is unknown, and unknown is kept.
// Nothing here looks at the host or at the clock: [Correlate] is a function of
// the snapshot and the previous graph, which is the whole memory between looks.
package graph

package policy

// Reference describes the policy file, for `reaperd help policy`.
func Reference() string { return reference }

const reference = `policies.yaml, version 1

  version    1
  extends    builtin: put this file over the built-in policy (see below)
  mode       report (default) or enforce
  schedule   when to look: five cron fields in local time, or @hourly, @every 30s
             (default); CRON_TZ=Europe/Paris in front names another zone
  discover   true (default): read the clients' own configuration for servers
  limits     max_actions: 500 servers and containers a sweep; concurrency: 8
  sessions, servers
             what the catalogue does not know: [{name: n, match: {exe: […], argv: […]}}]
             exe: any of these globs, on base name or path; argv: each glob matches
             some argument, in order; given both, both hold
  protect    what no rule reaches: [{name: n, match: {…}, reason: text}]
  rules      the first that matches decides

A rule
  name           its name in reports, journal and metrics
  match          what it is about; every key must hold
  exclude        the same keys; where they hold, the next rule is tried
  for            how long its finding must have held (30s), by two looks at least
  action         report (default), terminate, remove; remove is for containers
                 and deletes them, terminate stops them
  grace          from TERM to KILL, for a container the stop timeout (5s)
  keep_newest    of duplicates, how many of the newest stay (1)
  max_per_owner  no more than this for one owner: a hard limit, which ends the
                 longest idle first, then the oldest, and busy ones too

A match (of exclude and protect too)
  kind           server, gateway, session, container; one or a list
  finding        orphaned, disconnected, respawning, zombies, duplicate, exited,
                 ambiguous, none, any. Left out in a rule: whatever has a finding;
                 with "kind: container" and a label, image or name: everything
  listening      true: it is known to listen; false: it is not known to
  server         the short name of a server, gateway or container
  session        the client that owns it, where that is known; "*" is any such
  name           the short name, or what a container is called
  argv           each matches some argument of one of its processes, in order
  image          a container's image, with or without tag and digest
  label          {com.example.team: "*"}: all of these labels
  state          a container's state, such as exited
  user           the user's name or number
  older_than     its age: 30s, 2m, 1h30m, 7d
  idle_for       without CPU and I/O for so long (duplicates: 30m)
  memory_over    more than so much: 512MiB, 2GiB
  cpu_over       more than so many percent of one core, between two looks
  zombies_over   that many dead children, or more (for the finding: 100)
  respawns_over  that many, or more, started again (for the finding: 10)
In a glob * is anything, slashes too, ? one character, [a-z] one of these, and \
takes the next one as it is. Names have no case. A key that takes one takes a
list too, any of which is enough. With memory_over or cpu_over, "for" times the
excess as well: every look in that time must have shown it.
An image, label or state in exclude and protect also speaks of the container
that a server is the client of.

Order: protect keeps; then the rules; then the guards, which only keep. What
cannot be told does not match, and does hold in exclude and protect.

extends: builtin
  What is left out is inherited. A rule of a built-in rule's name changes that
  rule: field by field, and its match and exclude key by key ("listening: null"
  takes a key away). Its place stays. Other rules are new, and are tried before
  the built-in ones, in their order.
`

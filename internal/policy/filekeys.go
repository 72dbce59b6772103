package policy

import (
	"strconv"

	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/human"
)

// fileKeys are the keys of a policy file.
func (l loader) fileKeys() schema {
	p := l.policy
	limits := schema{
		countKey("max_actions", "servers and containers that one sweep begins to stop at the most, and that one user has under way", mostCount, &p.Limits.MaxActions).or(strconv.Itoa(defaultMaxActions)),
		countKey("concurrency", "how many of them are stopped at a time", mostAtOnce, &p.Limits.Concurrency).or(strconv.Itoa(defaultConcurrency)),
	}
	return schema{
		keyOf(Key{Name: "version", Type: TypeCount, Words: []string{strconv.Itoa(version)}, Most: version}, readVersion),
		keyOf(Key{Name: "extends", About: "what this file is put over (see below)", Type: TypeWord, Words: []string{extendsBuiltin}}, readExtends),
		wordKey("mode", "say what would be done, or do it", modeWords(), &p.Mode).or(string(ModeReport)),
		keyOf(Key{Name: "schedule", About: "when to look: five cron fields in local time, or @hourly, @every 30s; CRON_TZ=Europe/Paris in front names another zone", Type: TypeSchedule},
			func(v value) { p.Schedule = v.schedule() }).or(defaultSchedule),
		keyOf(Key{Name: "discover", About: "read the clients' own configuration for servers", Type: TypeBoolean},
			func(v value) { p.Discover = v.boolean(true) }).or("true"),
		keyOf(Key{Name: "limits", About: "how much one sweep may do", Type: TypeMapping, Keys: limits.described()},
			func(v value) { v.reader.about("limits").mapping(v.node, limits) }),
		listKey(l, "sessions", "session", "sessions that the catalogue does not know", &p.Sessions, entryKeys),
		listKey(l, "servers", "server", "servers that the catalogue does not know", &p.Servers, entryKeys),
		listKey(l, "protect", "protect", "what no rule reaches", &p.Protect, protectKeys),
		listKey(l, "trust", "trust", "containers and programs that only watch an engine: their connections keep nothing", &p.Trust, trustKeys),
		keyOf(Key{Name: "rules", About: "the first that matches decides", Type: TypeList, Keys: ruleKeys(&Rule{}).described()}, l.rules),
	}
}

// listKey is a list of things with a name and a match each.
func listKey[T any](l loader, name, what, about string, into *[]T, keys func(*T) schema) key {
	return keyOf(Key{Name: name, About: about, Type: TypeList, Keys: keys(new(T)).described()}, func(v value) {
		l.named(v, what, func(r reader, n *node) {
			var item T
			r.mapping(n, keys(&item))
			*into = append(*into, item)
		})
	})
}

func entryKeys(entry *Entry) schema {
	program := schema{
		globsKey("exe", "the program, by base name or path", &entry.Exe),
		argumentsKey("argv", "each matches some argument, in order; given with exe, both hold", &entry.Argv),
	}
	return schema{
		nameKey("what it is called in reports", &entry.Name),
		mappingKey("match", "which processes are meant", program, func() schema { return program }),
	}
}

func protectKeys(protect *Protect) schema {
	return schema{
		nameKey("what it is called in reports", &protect.Name),
		matchKey("match", "what is kept; every key must hold", func() *Match { return &protect.Match }),
		keyOf(Key{Name: "reason", About: "why, for reports"}, func(v value) { protect.Reason = v.line() }),
	}
}

func trustKeys(trust *Trust) schema {
	which := schema{
		globsKey("image", "a container's image, with or without tag and digest", &trust.Image),
		globsKey("name", "what a container is called", &trust.Container),
		globsKey("exe", "a program, by base name or path", &trust.Exe),
		argumentsKey("argv", "each matches some argument of a program, in order; given with exe, both hold", &trust.Argv),
	}
	return schema{
		nameKey("what it is called in reports", &trust.Name),
		mappingKey("match", "which container or program is meant", which, func() schema { return which }),
	}
}

func ruleKeys(rule *Rule) schema {
	exclude := func() *Match {
		rule.Exclude = &Match{}
		return rule.Exclude
	}
	keepNewest := countKey("keep_newest", "of duplicates, how many of the newest stay", mostCount, &rule.KeepNewest)
	keepNewest.Default = strconv.Itoa(defaultKeepNewest) // of rules that match duplicates alone
	return schema{
		nameKey("its name in reports, journal and metrics", &rule.Name),
		matchKey("match", "what it is about; every key must hold", func() *Match { return &rule.Match }),
		matchKey("exclude", "the same keys; where they hold, the next rule is tried", exclude),
		durationKey("for", "how long its finding must have held, by two looks at least; for what a live client has let go of at least "+human.Exact(GracefulClose), 0, &rule.For).or(human.Exact(defaultFor)),
		wordKey("action", "remove is for containers and deletes them, terminate stops them", actionWords(), &rule.Action).or(string(ActionReport)),
		durationKey("grace", "from TERM to KILL, for a container the stop timeout", 0, &rule.Grace).or(human.Exact(defaultGrace)),
		keepNewest,
		keyOf(Key{Name: "volumes", About: "remove the anonymous volumes of a container with it", Type: TypeBoolean}, func(v value) { rule.Volumes = v.boolean(false) }).or("false"),
		countKey("max_per_owner", "no more than this for one owner: a hard limit, which stops the longest idle first, then the oldest, and busy ones too", mostCount, &rule.MaxPerOwner),
	}
}

func matchKeys(m *Match) schema {
	return schema{
		wordsKey("kind", "one or a list of them", kindWords(), func(word string) { m.Kinds = append(m.Kinds, graph.Kind(word)) }),
		wordsKey("finding", `any, none: what live sessions use too; left out in a rule: whatever has a finding; with "kind: container" and a label, image or name: everything`, findingWords(), m.takeFinding),
		wordsKey("recognised", "known, or only likely to be an MCP server: such a one goes after "+human.Exact(LikelyRest)+" at rest", []string{graph.RecognisedKnown, graph.RecognisedLikely}, func(word string) { m.Recognised = append(m.Recognised, word) }),
		keyOf(Key{Name: "listening", About: "true: it is known to listen; false: it is not known to", Type: TypeBoolean}, func(v value) {
			listening := v.boolean(false)
			m.Listening = &listening
		}),
		globsKey("server", "the short name of a server, gateway or container", &m.Server),
		globsKey("session", `the client that owns it, where that is known; "*" is any such`, &m.Session),
		globsKey("name", "the short name, or what a container is called", &m.Name),
		argumentsKey("argv", "each matches some argument of one of its processes, in order", &m.Argv),
		globsKey("image", "a container's image, with or without tag and digest", &m.Image),
		keyOf(Key{Name: "label", About: `{com.example.team: "*"}: all of these labels`, Type: TypeLabels}, func(v value) { m.Label = v.labels() }),
		keyOf(Key{Name: "state", About: "a container's state, such as exited", Type: TypeGlob, Several: true}, func(v value) { m.State = v.states() }),
		globsKey("user", "the user's name or number", &m.User),
		durationKey("older_than", "its age: 30s, 2m, 1h30m, 7d", 1, &m.OlderThan),
		durationKey("idle_for", "without CPU and I/O for so long (duplicates: "+human.Exact(DefaultIdleFor)+"; sessions with all that works for them, but for timers and pings of up to "+graph.Trickle()+": "+human.Exact(defaultSessionIdle)+")", 1, &m.IdleFor),
		keyOf(Key{Name: "memory_over", About: "more than so much, with its unit: 512MiB, 2GiB", Type: TypeSize}, func(v value) { m.MemoryOver = v.size() }),
		keyOf(Key{Name: "cpu_over", About: "more than so many percent of one core, between two looks", Type: TypePercent}, func(v value) { m.CPUOver = v.percent() }),
		countKey("zombies_over", "that many dead children, or more (for the finding: "+strconv.Itoa(defaultZombies)+")", mostCount, &m.ZombiesOver),
		countKey("respawns_over", "that many, or more, started again (for the finding: "+strconv.Itoa(defaultRespawns)+")", mostCount, &m.RespawnsOver),
	}
}

package world

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/reaperd/reaperd/internal/inventory"
)

// apply sets one attribute of a process.
func (r *Reader) apply(p *inventory.Process, attribute string) error {
	key, value, _ := strings.Cut(attribute, "=")
	if set, known := r.attributes()[key]; known {
		return set(p, value)
	}
	if name, isEnvironment := strings.CutPrefix(key, "env."); isEnvironment {
		p.Env = map[string]string{name: value}
		return nil
	}
	return fmt.Errorf("unknown attribute %q", attribute)
}

// attributes set what an attribute of that name says of a process.
func (r *Reader) attributes() map[string]func(p *inventory.Process, value string) error {
	return map[string]func(*inventory.Process, string) error{
		"zombie":   func(p *inventory.Process, _ string) error { p.State, p.Argv = "Z", nil; return nil },
		"nostart":  func(p *inventory.Process, _ string) error { p.Start = 0; return nil },
		"noargv":   func(p *inventory.Process, _ string) error { p.Argv = nil; return nil },
		"emptyarg": func(p *inventory.Process, _ string) error { p.Argv = append(p.Argv, ""); return nil },
		// Underscores stand for spaces, and \e for the escape sign.
		"arg": func(p *inventory.Process, v string) error {
			p.Argv = append(p.Argv, strings.NewReplacer("_", " ", `\e`, "\x1b").Replace(v))
			return nil
		},
		"exe":     func(p *inventory.Process, v string) error { p.Exe = v; return nil },
		"comm":    func(p *inventory.Process, v string) error { p.Comm = v; return nil },
		"cwd":     func(p *inventory.Process, v string) error { p.Cwd = v; return nil },
		"on":      func(p *inventory.Process, v string) error { p.TTY = v; return nil },
		"threads": func(p *inventory.Process, v string) error { return setNumber(&p.Threads, v) },
		"mem":     setMemory,
		"cpu": func(p *inventory.Process, v string) error {
			p.CPUSeconds = inventory.Known(float64(atoi(v)))
			return nil
		},
		"io": func(p *inventory.Process, v string) error {
			p.IOChars = inventory.Known(100 * uint64(atoi(v)))
			return nil
		}, // as long as a message, or longer
		"uid":       func(p *inventory.Process, v string) error { return r.setUser(p, atoi(v)) },
		"user":      func(p *inventory.Process, v string) error { return r.setUser(p, r.users[v]) },
		"listening": setListening,
		"listening?": func(p *inventory.Process, _ string) error {
			p.Listening = inventory.Unreadable[bool]()
			return nil
		},
		"clients":    func(p *inventory.Process, v string) error { return setNumber(&p.Connections, v) },
		"clients?":   func(p *inventory.Process, _ string) error { p.Connections = inventory.Unreadable[int](); return nil },
		"fds?":       func(p *inventory.Process, _ string) error { p.OpenFDs = inventory.Unreadable[int](); return nil },
		"inflight":   func(p *inventory.Process, v string) error { return setNumber(&p.UnseenFDs, v) },
		"shares":     func(p *inventory.Process, v string) error { return setHolders(&p.Shares, v) },
		"connects":   func(p *inventory.Process, v string) error { return setHolders(&p.Connects, v) },
		"service":    func(p *inventory.Process, v string) error { p.Service = v; return nil },
		"container":  func(p *inventory.Process, v string) error { p.ContainerID = v; return nil },
		"configured": func(p *inventory.Process, v string) error { p.Configured = v; return nil },
		"forker":     func(p *inventory.Process, v string) error { p.OriginalParent = v; return nil },
		"reparented": func(p *inventory.Process, _ string) error { p.Reparented = true; return nil },
		"display":    func(p *inventory.Process, _ string) error { p.Display = inventory.Known(true); return nil },
		"in":         func(p *inventory.Process, v string) error { return setStream(&p.Stdin, v) },
		"out":        func(p *inventory.Process, v string) error { return setStream(&p.Stdout, v) },
	}
}

func (r *Reader) setUser(p *inventory.Process, uid int) error {
	p.UID, p.User = inventory.Known(uid), r.called(uid)
	return nil
}

// setListening reads `listening`, or with the port: `listening=8931`.
func setListening(p *inventory.Process, port string) error {
	p.Listening = inventory.Known(true)
	if port != "" {
		p.ListenPorts = append(p.ListenPorts, atoi(port))
	}
	return nil
}

// setMemory reads a size in megabytes.
func setMemory(p *inventory.Process, megabytes string) error {
	n, err := strconv.ParseFloat(megabytes, 64)
	p.MemoryBytes, p.MemoryKind = inventory.Known(uint64(n*1e6)), "pss"
	return err
}

func setNumber(fact *inventory.Fact[int], text string) error {
	n, err := strconv.Atoi(text)
	*fact = inventory.Known(n)
	return err
}

func setHolders(fact *inventory.Fact[[]int], text string) error {
	holders, err := holdersOf(text)
	*fact = inventory.Known(holders)
	return err
}

// setStream reads a stream.
func setStream(fact *inventory.Fact[inventory.Stdio], text string) error {
	switch text {
	case "-":
		*fact = inventory.Fact[inventory.Stdio]{}
		return nil
	case "?":
		*fact = inventory.Unreadable[inventory.Stdio]()
		return nil
	case "null", "tty", "file", "closed":
		*fact = inventory.Known(inventory.Stdio{Kind: inventory.Kind(text), Peer: inventory.PeerUnknown})
		return nil
	}
	at := strings.IndexAny(text, "!~@")
	if at < 0 {
		return fmt.Errorf("stream %q", text)
	}
	kind := inventory.KindPipe
	if text[0] == 's' {
		kind = inventory.KindSocket
	}
	stdio, rest := inventory.Stdio{Kind: kind, ID: fmt.Sprintf("%s:[%s]", kind, text[:at])}, text[at+1:]
	var err error
	switch text[at] {
	case '!':
		stdio.Peer, stdio.Holders = inventory.PeerClosed, []int{}
	case '~':
		stdio.Peer = inventory.PeerUnknown
	default:
		stdio.Peer, stdio.Named = inventory.PeerOpen, strings.HasPrefix(rest, "/")
		stdio.Holders, err = holdersOf(strings.TrimPrefix(rest, "/"))
	}
	*fact = inventory.Known(stdio)
	return err
}

// holdersOf reads PIDs; "?" is nil: nobody looked.
func holdersOf(text string) ([]int, error) {
	switch text {
	case "?":
		return nil, nil
	case "":
		return []int{}, nil
	}
	var holders []int
	for _, word := range strings.Split(text, ",") {
		pid, err := strconv.Atoi(word)
		if err != nil {
			return nil, err
		}
		holders = append(holders, pid)
	}
	return holders, nil
}

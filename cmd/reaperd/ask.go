package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/daemon"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/serve"
)

// decider is who answers a command: a daemon, or the command itself for one pass.
type decider struct {
	account.Asker
	close  func()
	daemon *serve.Asker // nil: the command decides
}

// starting is how long a daemon may take from its lock to its socket. Tests do not wait for so long.
var starting = 2 * time.Second

// found is the daemon that decides about this user's things; nil if none runs. An error is that one runs
// and does not answer.
func found(ctx context.Context) (*serve.Asker, error) {
	for began := time.Now(); ; {
		asked, err := answering(ctx)
		if asked != nil || err != nil {
			return asked, err
		}
		daemon, runs, err := stateDir().Daemon()
		switch {
		case err != nil || !runs:
			return nil, nil
		case time.Since(began) > starting:
			return nil, hung(&serve.HangsError{Peer: serve.Peer{UID: os.Geteuid(), PID: daemon.PID}})
		}
		select {
		case <-time.After(starting / 20):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// answering is the first daemon that answers where one may; nil if none does.
func answering(ctx context.Context) (*serve.Asker, error) {
	var hangs *serve.HangsError
	for _, socket := range stateDir().Sockets() {
		daemon, err := serve.Dial(ctx, socket)
		switch {
		case err == nil:
			handOver(ctx, daemon)
			return daemon, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.As(err, &hangs):
			return nil, hung(hangs)
		case errors.Is(err, serve.ErrForeign) && socket != stateDir().HostSocket():
			return nil, human.Failed("", "ask %s: %w", socket, err)
		}
	}
	return nil, nil
}

// hung is the error that a daemon hangs, with what helps.
func hung(hangs *serve.HangsError) error { return human.Failed(hangs.Remedy(), "%w", hangs) }

// handOver gives the host's daemon what this user has pinned while no daemon of the host's ran. What it
// does not take has ended.
func handOver(ctx context.Context, to *serve.Asker) {
	if to.Socket() == stateDir().HostSocket() && os.Geteuid() != 0 {
		_ = daemon.HandOver(ctx, stateDir(), to)
	}
}

// decider asks the daemon, else is the decider. A policy that was named, and by which the daemon does not
// go, is judged by here. A question to a daemon that hangs is answered here too, with a note.
func (l *lookFlags) decider(ctx context.Context) (*decider, error) {
	asked, err := found(ctx)
	return l.given(ctx, asked, err)
}

// given is decider, by what was found.
func (l *lookFlags) given(ctx context.Context, asked *serve.Asker, err error) (*decider, error) {
	var hangs *serve.HangsError
	switch {
	case errors.As(err, &hangs):
		return l.alone(account.Note{Text: hangs.Error(), Remedy: hangs.Remedy()})
	case err != nil:
		return nil, err
	case asked == nil:
		return l.alone()
	}
	if isOther, err := l.isOtherPolicy(ctx, asked); isOther || err != nil {
		asked.Close()
		if err != nil {
			return nil, err
		}
		return l.alone()
	}
	return &decider{asked, asked.Close, asked}, nil
}

// isOtherPolicy reports that this command goes by another policy than a daemon: by a file that was named,
// or as the daemon has none.
func (l *lookFlags) isOtherPolicy(ctx context.Context, asked *serve.Asker) (bool, error) {
	if l.policies == "" && asked.NotReady == "" {
		return false, nil
	}
	a, err := asked.Account(ctx, false)
	if err != nil || l.policies == "" {
		return err == nil && a.Decider.Rests == account.NoPolicy, err
	}
	p, err := l.policy()
	return err == nil && p.Hash != a.Policy.SHA256, err
}

// alone is the command as the decider of one pass.
func (l *lookFlags) alone(notes ...account.Note) (*decider, error) {
	p, err := l.policy()
	if err != nil {
		return nil, err
	}
	if l.kept != nil {
		return l.kept.pass(l, p, notes...)
	}
	once, err := l.once(p, notes...)
	if err != nil {
		return nil, err
	}
	return &decider{once, once.Close, nil}, nil
}

// passes are those of a command that asks again and again, by what they have to note. A pass goes on from look to
// look, by the policy with which it began.
type passes struct {
	mu   sync.Mutex
	open map[string]*daemon.Once
}

func (k *passes) pass(l *lookFlags, p *policy.Policy, notes ...account.Note) (*decider, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	key := fmt.Sprint(notes)
	if k.open[key] == nil {
		once, err := l.once(p, notes...)
		if err != nil {
			return nil, err
		}
		if k.open == nil {
			k.open = map[string]*daemon.Once{}
		}
		k.open[key] = once
	}
	return &decider{k.open[key], func() {}, nil}, nil
}

// close ends the passes. What they have begun is finished first.
func (k *passes) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, once := range k.open {
		once.Close()
	}
}

// once opens this host under a policy. Close it after use.
func (l *lookFlags) once(p *policy.Policy, notes ...account.Note) (*daemon.Once, error) {
	return daemon.ForOnce(daemon.Pass{
		Policy: p, WhatIf: l.policies != "" && !policyfile.IsChosen(p), Journal: journalPath(l.journal), State: stateDir(), Log: l.logger(), Settle: l.settle, Notes: notes,
	})
}

// ordered is the decider for an order that goes by no policy. A daemon that hangs takes none.
func (l *lookFlags) ordered(ctx context.Context) (*decider, error) {
	asked, err := found(ctx)
	if err != nil {
		return nil, err
	}
	if asked != nil && asked.NotReady == "" {
		return &decider{asked, asked.Close, asked}, nil
	}
	if asked != nil { // without a policy it sees nothing that could be kept
		if isOther, err := l.isOtherPolicy(ctx, asked); !isOther {
			return &decider{asked, asked.Close, asked}, err
		}
		asked.Close()
	}
	p, note, err := policyfile.LoadAnyway(l.policies)
	if err != nil {
		return nil, err
	}
	if note != "" {
		l.Remark(note)
	}
	once, err := l.once(p)
	if err != nil {
		return nil, err
	}
	return &decider{once, once.Close, nil}, nil
}

// looks tells a person that a look is waited for, and for how long at the most.
func (l *lookFlags) looks(d *decider, within time.Duration) (done func()) {
	if d.daemon != nil {
		return func() {}
	}
	return l.Progress(within)
}

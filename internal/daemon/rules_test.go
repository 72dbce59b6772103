package daemon

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reaperd/reaperd/internal/account"
	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/policyfile"
	"github.com/reaperd/reaperd/internal/serve"
)

const enforcing = "version: 1\nextends: builtin\nmode: enforce\n"

// rulesOf are the rules of a policy file that says this.
func rulesOf(t *testing.T, text string, mode policy.Mode) *rules {
	t.Helper()
	path := filepath.Join(t.TempDir(), "policies.yaml")
	write(t, path, text)
	r := newRules(Options{Policies: path, Mode: mode, Log: slog.New(slog.DiscardHandler)}, serve.NewMetrics(account.Build{}))
	return r
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTheModeInEffect(t *testing.T) {
	for _, row := range []struct {
		says string
		text string
		flag policy.Mode
		want policy.Mode
		from string // what set it over the policy's
	}{
		{"the policy's", enforcing, "", policy.ModeEnforce, ""},
		{"a policy without one reports", "version: 1\nrules: [{name: one, match: {kind: server, finding: orphaned}}]\n", "", policy.ModeReport, ""},
		{"the flag's before the policy's", enforcing, policy.ModeReport, policy.ModeReport, "--mode"},
	} {
		t.Run(row.says, func(t *testing.T) {
			r := rulesOf(t, row.text, row.flag)
			p := r.load()
			if p == nil || p.Mode != row.want || p.ModeFrom != row.from {
				t.Errorf("%+v, want %s from %q", p, row.want, row.from)
			}
		})
	}
	t.Setenv("REAPERD_MODE", "report")
	if p := rulesOf(t, enforcing, policy.ModeReport).load(); p.ModeFrom != "REAPERD_MODE" {
		t.Errorf("the variable set the mode, and %q is named", p.ModeFrom)
	}
}

// TestALinkThatLeadsNowhereIsARefusedPolicy: not a missing one, for which the built-in one would act.
func TestALinkThatLeadsNowhereIsARefusedPolicy(t *testing.T) {
	config := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	if err := os.Symlink("dotfiles", filepath.Join(config, "reaperd")); err != nil {
		t.Fatal(err)
	}
	r := newRules(Options{Log: slog.New(slog.DiscardHandler)}, serve.NewMetrics(account.Build{}))
	if p := r.load(); p != nil {
		t.Errorf("got %+v", p)
	}
	if err := os.Mkdir(filepath.Join(config, "dotfiles"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(config, "reaperd", "policies.yaml"), enforcing)
	if r.fingerprint() == r.asRead || r.load() == nil {
		t.Error("the link leads to a policy by now, and it is not taken")
	}
}

// TestTheFileOfThePolicyIsToldFromTheRoot: who reads of it is in another folder.
func TestTheFileOfThePolicyIsToldFromTheRoot(t *testing.T) {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "own.yaml"), enforcing)
	t.Chdir(folder)
	r := newRules(Options{Policies: "own.yaml", Mode: policy.ModeEnforce, Log: slog.New(slog.DiscardHandler)}, serve.NewMetrics(account.Build{}))
	if p := r.load(); p == nil || p.Identity().Source != filepath.Join(folder, "own.yaml") {
		t.Errorf("got %+v", p)
	}
}

func TestAPolicyWithFaultsLeavesTheOneBefore(t *testing.T) {
	r := rulesOf(t, enforcing, "")
	p := r.load()
	write(t, r.named, "version: 1\nmode: maybe\n")
	if r.fingerprint() == r.asRead {
		t.Error("an edited file has not changed")
	}
	if refused := r.load(); refused != nil {
		t.Errorf("took %+v", refused)
	}
	if r.fingerprint() != r.asRead {
		t.Error("a refused file is to be read again although nobody mended it")
	}
	if why, overtaken := r.overtaken(p); overtaken {
		t.Errorf("the one before does not hold: %s", why)
	}
	write(t, r.named, enforcing+"limits: {max_actions: 3}\n")
	if mended := r.load(); mended == nil {
		t.Error("a mended file is refused")
	}
	if _, overtaken := r.overtaken(p); !overtaken {
		t.Error("what the policy before asked for still begins")
	}
}

func TestWhereAPolicyComesFrom(t *testing.T) {
	for _, row := range []struct {
		says, named, source string
		want                serve.Origin
	}{
		{"the built-in one", "", policy.Builtin, serve.OriginBuiltin},
		{"the named one", "/srv/p.yaml", "/srv/p.yaml", serve.OriginFile},
		{"the host's", "", policyfile.System, serve.OriginSystem},
		{"the host's, named", policyfile.System, policyfile.System, serve.OriginFile},
		{"the user's", "", "/home/dev/.config/reaperd/policies.yaml", serve.OriginUser},
	} {
		r := &rules{named: row.named}
		if got := r.originOf(&policy.Policy{Sources: []policy.Source{{Name: row.source}}}); got != row.want {
			t.Errorf("%s: %s, want %s", row.says, got, row.want)
		}
	}
}

func TestWhenThePolicyIsReadAgain(t *testing.T) {
	const faulty = "version: 1\nmode: maybe\n"
	other := enforcing + "limits: {max_actions: 3}\n"
	for _, row := range []struct {
		says   string
		event  func(path string, hangups chan<- os.Signal)
		reads  int
		loaded int
		wakes  []human.Trigger
	}{
		{says: "nothing happens", event: func(string, chan<- os.Signal) {}},
		{says: "a file changes", reads: 1, loaded: 1, event: func(path string, _ chan<- os.Signal) { write(t, path, other) }},
		{says: "an editor writes it in two steps", reads: 1, loaded: 1, event: func(path string, _ chan<- os.Signal) {
			write(t, path, faulty)
			time.Sleep(filesEvery)
			write(t, path, other)
		}},
		{says: "a file changes and changes back", event: func(path string, _ chan<- os.Signal) {
			write(t, path, other)
			time.Sleep(filesEvery)
			write(t, path, enforcing)
		}},
		{says: "a file gets faults: the next look tells that", reads: 1, wakes: []human.Trigger{human.TriggerSignal},
			event: func(path string, _ chan<- os.Signal) { write(t, path, faulty) }},
		{says: "a hangup, and no file has changed", reads: 1, loaded: 1, wakes: []human.Trigger{human.TriggerSignal},
			event: func(_ string, hangups chan<- os.Signal) { hangups <- syscall.SIGHUP }},
	} {
		t.Run(row.says, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, hangups := rulesOf(t, enforcing, ""), make(chan os.Signal)
				var told []string
				var wakes []human.Trigger
				r.notify = func(state string) { told = append(told, state) }
				r.wake = func(by human.Trigger) { wakes = append(wakes, by) }
				if r.load() == nil {
					t.Fatal("refused")
				}
				ctx, end := context.WithCancel(t.Context())
				loaded := 0
				go func() {
					for {
						select {
						case <-r.loaded:
							loaded++
						case <-ctx.Done():
							return
						}
					}
				}()
				go r.watch(ctx, hangups)
				time.Sleep(filesEvery / 2)
				row.event(r.named, hangups)
				time.Sleep(5 * filesEvery)
				synctest.Wait()
				if loaded != row.loaded || !slices.Equal(wakes, row.wakes) {
					t.Errorf("%d loaded, woke for %v", loaded, wakes)
				}
				if len(told) != 2*row.reads || row.reads > 0 && (!strings.HasPrefix(told[0], "RELOADING=1\nMONOTONIC_USEC=") || told[1] != "READY=1") {
					t.Errorf("told the service manager %q", told)
				}
				end()
				synctest.Wait()
			})
		})
	}
}

func TestAPolicyThatNobodyTakesDoesNotKeepTheDaemonFromEnding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rulesOf(t, enforcing, "") // never read: what is there is new
		r.notify = func(string) {}
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { r.watch(ctx, nil); close(ended) }()
		time.Sleep(5 * filesEvery)
		end()
		<-ended
	})
}

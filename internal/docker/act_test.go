package docker

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/test/standin"
)

func stopOf(digit string) string  { return "POST /containers/" + id(digit) + "/stop" }
func waitOf(digit string) string  { return "POST /containers/" + id(digit) + "/wait" }
func lookAt(digit string) string  { return "GET /containers/" + id(digit) + "/json" }
func takeOff(digit string) string { return "DELETE /containers/" + id(digit) }

const beingRemoved = "removal of container aaaa is already in progress"

// vanish ends a container behind the fake's back.
func (f *fake) vanish(digit string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.containers, id(digit))
}

func TestHowAContainerEnds(t *testing.T) {
	tests := []struct {
		name  string
		world func(*fake)
		grace time.Duration
		want  human.Stop
	}{
		{"at its stop signal", func(f *fake) { f.run("a") }, time.Minute, human.StoppedByItself},
		{"one that removes itself", func(f *fake) { f.run("a").HostConfig.AutoRemove = true }, time.Minute, human.StoppedByItself},
		{"one that stays", func(f *fake) { f.run("a").HostConfig.AutoRemove = false }, time.Minute, human.StoppedByItself},
		{"it outlived no grace at all", func(f *fake) {
			f.run("a")
			f.on(waitOf("a"), func(w http.ResponseWriter, _ *http.Request) { reply(w, container.WaitResponse{StatusCode: 137}) })
		}, 0, human.StoppedByKill},
		{"code 137 within the grace was not us", func(f *fake) {
			f.run("a")
			f.on(waitOf("a"), func(w http.ResponseWriter, _ *http.Request) { reply(w, container.WaitResponse{StatusCode: 137}) })
		}, time.Minute, human.StoppedByItself},
		{"a proxy denies the wait", func(f *fake) {
			f.run("a")
			f.on(waitOf("a"), refusal(http.StatusForbidden, "Forbidden"))
		}, time.Minute, human.StoppedByItself},
		{"it had ended before (304)", func(f *fake) {
			f.run("a")
			f.on(stopOf("a"), func(w http.ResponseWriter, _ *http.Request) {
				f.vanish("a")
				w.WriteHeader(http.StatusNotModified)
			})
		}, time.Minute, human.StoppedByItself},
		{"it vanished before it was told (404)", func(f *fake) {
			f.run("a")
			f.on(stopOf("a"), refusal(http.StatusNotFound, "No such container"))
		}, time.Minute, human.StoppedAbsent},
		{"it is being removed (409)", func(f *fake) {
			f.run("a")
			f.on(stopOf("a"), func(w http.ResponseWriter, _ *http.Request) {
				f.vanish("a")
				refuse(w, http.StatusConflict, beingRemoved)
			})
		}, time.Minute, human.StoppedAbsent},
		{"it does not run", func(f *fake) { f.exited("a") }, time.Minute, human.StoppedBefore},
		{"nobody has it", func(f *fake) {}, time.Minute, human.StoppedAbsent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			f.run("b")
			tt.world(f)
			got, err := f.engines().Stop(t.Context(), id("a"), tt.grace)
			if err != nil || got != tt.want {
				t.Errorf("ended %q, %v; want %q", got, err, tt.want)
			}
			for _, request := range f.wrote() {
				if !strings.Contains(request, id("a")) {
					t.Errorf("another container was touched: %s", request)
				}
			}
		})
	}
}

func TestGraceIsRoundedUpToSeconds(t *testing.T) {
	for grace, want := range map[time.Duration]string{
		0: "0", -time.Second: "0", time.Millisecond: "1", time.Second: "1", 2500 * time.Millisecond: "3",
	} {
		f := newFake(t)
		f.run("a")
		got := make(chan string, 1)
		f.on(stopOf("a"), func(w http.ResponseWriter, r *http.Request) {
			got <- r.URL.Query().Get("t")
			w.WriteHeader(http.StatusNoContent)
		})
		f.run("a").HostConfig.AutoRemove = false
		if _, err := f.engines().Stop(t.Context(), id("a"), grace); err != nil {
			t.Fatal(err)
		}
		if seconds := <-got; seconds != want {
			t.Errorf("a grace of %v is sent as %q, want %q", grace, seconds, want)
		}
	}
}

func TestAStopThatFailsIsSaid(t *testing.T) {
	tests := []struct {
		name  string
		world func(*fake)
		says  string
	}{
		{"the engine fails", func(f *fake) {
			f.on(stopOf("a"), refusal(http.StatusInternalServerError, "cannot kill container: permission denied"))
		}, "stop container aaaaaaaaaaaa: cannot kill container: permission denied"},
		{"a proxy denies it", func(f *fake) { f.on(stopOf("a"), refusal(http.StatusForbidden, "Forbidden")) }, "Forbidden"},
		{"the engine hangs", func(f *fake) { f.on(stopOf("a"), hang) }, unanswered},
		{"the look before it fails", func(f *fake) { f.on(lookAt("a"), refusal(http.StatusInternalServerError, "broken")) }, "broken"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			f.run("a")
			tt.world(f)
			patience := 20 * time.Second
			if tt.says == unanswered {
				patience = 300 * time.Millisecond
			}
			engines := f.enginesWith(Options{Timeout: 20 * time.Second, Patience: patience})
			ended, err := engines.Stop(t.Context(), id("a"), 0)
			if err == nil || !strings.Contains(err.Error(), tt.says) || ended != "" {
				t.Errorf("ended %q, error %v; want one that says %q", ended, err, tt.says)
			}
		})
	}
}

func TestRemovingAContainer(t *testing.T) {
	tests := []struct {
		name  string
		world func(*fake)
	}{
		{"one that stopped", func(f *fake) { f.exited("a") }},
		{"one that vanished meanwhile (404)", func(f *fake) {
			f.exited("a")
			f.on(takeOff("a"), refusal(http.StatusNotFound, "No such container"))
		}},
		{"one that is being removed (409)", func(f *fake) {
			f.exited("a")
			f.on(takeOff("a"), func(w http.ResponseWriter, _ *http.Request) {
				f.vanish("a")
				refuse(w, http.StatusConflict, beingRemoved)
			})
		}},
		{"one that nobody has", func(f *fake) {}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			f.exited("b")
			tt.world(f)
			engines := f.engines()
			if err := engines.Remove(t.Context(), id("a"), false); err != nil {
				t.Fatal(err)
			}
			if gone, err := engines.Gone(t.Context(), id("b")); gone || err != nil {
				t.Errorf("the other one: gone %v, %v", gone, err)
			}
		})
	}
}

func TestARemovalTakesTheAnonymousVolumesIfThatIsAskedFor(t *testing.T) {
	for volumes, want := range map[bool]string{false: "force=1", true: "force=1&v=1"} {
		f := newFake(t)
		f.exited("a")
		query := make(chan string, 1)
		f.on(takeOff("a"), func(w http.ResponseWriter, r *http.Request) {
			query <- r.URL.Query().Encode()
			w.WriteHeader(http.StatusNoContent)
		})
		if err := f.engines().Remove(t.Context(), id("a"), volumes); err != nil {
			t.Fatal(err)
		}
		if got := <-query; got != want {
			t.Errorf("asked for %q, want %q", got, want)
		}
	}
}

func TestARemovalThatDoesNotEndIsSaid(t *testing.T) {
	f := newFake(t)
	f.exited("a")
	f.on(takeOff("a"), refusal(http.StatusConflict, beingRemoved))
	engines := f.enginesWith(Options{Timeout: 20 * time.Second, Patience: 2 * time.Second})
	if err := engines.Remove(t.Context(), id("a"), false); err == nil || !strings.Contains(err.Error(), "still removing it") {
		t.Errorf("error %v", err)
	}
}

func TestAnotherConflictIsNoSuccess(t *testing.T) {
	f := newFake(t)
	f.exited("a")
	f.on(takeOff("a"), refusal(http.StatusConflict, "container is used by another one"))
	if err := f.engines().Remove(t.Context(), id("a"), false); err == nil {
		t.Error("a container that stays was said to be removed")
	}
}

func TestNothingIsDoneByNameOrShortID(t *testing.T) {
	f := newFake(t)
	f.run("a")
	engines := f.engines()
	for _, name := range []string{"", "box-a", id("a")[:12], id("a") + "a", "*"} {
		if _, err := engines.Stop(t.Context(), name, 0); err == nil {
			t.Errorf("%q was stopped", name)
		}
		if err := engines.Remove(t.Context(), name, false); err == nil {
			t.Errorf("%q was removed", name)
		}
		if gone, err := engines.Gone(t.Context(), name); gone || err == nil {
			t.Errorf("%q: gone %v, %v", name, gone, err)
		}
	}
	if len(f.asked) > 0 {
		t.Errorf("the engine was asked %q", f.asked)
	}
}

func TestGoneIsWhatAnEngineSaid(t *testing.T) {
	f := newFake(t)
	f.run("a")
	f.exited("b")
	engines := f.engines()
	for digit, want := range map[string]bool{"a": false, "b": false, "c": true} {
		if gone, err := engines.Gone(t.Context(), id(digit)); gone != want || err != nil {
			t.Errorf("%s: gone %v, %v; want %v", digit, gone, err, want)
		}
	}
	if _, err := engines.Inspect(t.Context(), id("c")); !errors.Is(err, ErrGone) {
		t.Errorf("error %v, want %v", err, ErrGone)
	}
	fresh, err := engines.Inspect(t.Context(), id("a"))
	if err != nil || fresh.Name != "box-a" || fresh.PID != 4000 {
		t.Errorf("inspected %+v, %v", fresh, err)
	}
}

func TestAnEngineThatCannotBeAskedProvesNothingGone(t *testing.T) {
	t.Run("it fails", func(t *testing.T) {
		f := newFake(t)
		f.on(lookAt("a"), refusal(http.StatusInternalServerError, "broken"))
		if gone, err := f.engines().Gone(t.Context(), id("a")); gone || err == nil {
			t.Errorf("gone %v, %v", gone, err)
		}
	})
	t.Run("nobody serves the socket any more", func(t *testing.T) {
		h := newHost(t)
		standin.DeadSocket(t, h.place("/var/run/docker.sock"))
		if gone, err := found(t, h).Gone(t.Context(), id("a")); gone || err == nil {
			t.Errorf("gone %v, %v", gone, err)
		}
	})
	t.Run("it hangs", func(t *testing.T) {
		h := newHost(t)
		h.socket("/var/run/docker.sock")
		engines := found(t, h)
		engines.options.Timeout = 300 * time.Millisecond
		if ended, err := engines.Stop(t.Context(), id("a"), 0); err == nil {
			t.Errorf("ended %q", ended)
		}
	})
	t.Run("there is none", func(t *testing.T) {
		if gone, err := found(t, newHost(t)).Gone(t.Context(), id("a")); gone || err == nil {
			t.Errorf("gone %v, %v", gone, err)
		}
	})
}

func TestAnAbandonedSocketDoesNotHideThatItIsGone(t *testing.T) {
	h := newHost(t)
	standin.DeadSocket(t, h.place("/var/run/docker.sock"))
	newFake(t).serve(h.place("/run/user/1000/docker.sock"))
	if gone, err := found(t, h).Gone(t.Context(), id("a")); !gone || err != nil {
		t.Errorf("gone %v, %v", gone, err)
	}
}

func TestTheEngineThatHasAContainerIsFound(t *testing.T) {
	h := newHost(t)
	one, two := newFake(t), newFake(t)
	two.id = "FAKE:2"
	one.run("a")
	two.run("b")
	one.serve(h.place("/var/run/docker.sock"))
	two.serve(h.place("/run/user/1000/docker.sock"))
	engines := found(t, h)
	if _, err := engines.Stop(t.Context(), id("b"), time.Minute); err != nil {
		t.Fatal("before any look:", err)
	}
	two.run("c")
	engines.Containers(t.Context())
	if _, err := engines.Stop(t.Context(), id("c"), time.Minute); err != nil {
		t.Fatal("after a look:", err)
	}
	if wrote := one.wrote(); len(wrote) > 0 {
		t.Errorf("the other engine was told %q", wrote)
	}
	if got := one.times(lookAt("c")); got > 0 {
		t.Errorf("the other engine was asked %d times for what the look had placed", got)
	}
	if wrote := two.wrote(); !slices.Contains(wrote, stopOf("b")) || !slices.Contains(wrote, stopOf("c")) {
		t.Errorf("the engine was told %q", wrote)
	}
}

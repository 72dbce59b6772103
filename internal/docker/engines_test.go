package docker

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"

	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/test/standin"
)

// only is the single source of a look.
func only(t *testing.T, sources []inventory.Source) inventory.Source {
	t.Helper()
	if len(sources) != 1 {
		t.Fatalf("%d sources, want one: %+v", len(sources), sources)
	}
	return sources[0]
}

func ids(containers []inventory.Container) []string {
	var all []string
	for _, c := range containers {
		all = append(all, c.ID)
	}
	return all
}

func TestAllContainersOfAnEngine(t *testing.T) {
	f := newFake(t)
	f.run("b")
	f.exited("c")
	f.run("a")
	containers, sources := f.engines().Containers(t.Context())
	if got, want := ids(containers), []string{id("a"), id("b"), id("c")}; !slices.Equal(got, want) {
		t.Fatalf("containers %q, want %q", got, want)
	}
	source := only(t, sources)
	if source.Status != inventory.StatusOK || source.Engine != "FAKE:1" || source.Endpoint != "unix://"+f.socket {
		t.Errorf("source %+v", source)
	}
	running, stopped := containers[0], containers[2]
	if running.PID != 4000 || !running.OpenStdin.Or(false) || !running.AutoRemove.Or(false) || running.Command[0] != "serve" || running.Engine != source.Endpoint {
		t.Errorf("running %+v", running)
	}
	if stopped.PID != 0 || stopped.FinishedAt.IsZero() || stopped.Stdin != "" {
		t.Errorf("stopped %+v", stopped)
	}
	if running.Stdin != inventory.PeerUnknown {
		t.Errorf("stdin %q of a process that nobody has seen", running.Stdin)
	}
	if visible, known := source.RunnersVisible.Get(); visible || !known {
		t.Error("clients of containers that do not stand in the table are visible")
	}
	if wrote := f.wrote(); len(wrote) > 0 {
		t.Errorf("looking changed something: %q", wrote)
	}
}

// TestAContainerThatHasTheEnginesSocketIsToldSo: it is one more client of the engine, and hides no other.
func TestAContainerThatHasTheEnginesSocketIsToldSo(t *testing.T) {
	tests := []struct {
		name  string
		world func(*fake)
		want  bool
	}{
		{"none has it", func(*fake) {}, false},
		{"it has it by another name", func(f *fake) {
			f.run("d").Mounts = []container.MountPoint{{Type: mount.TypeBind, Source: f.socket, Destination: "/s"}}
		}, true},
		{"a stopped one had it", func(f *fake) {
			f.exited("d").Mounts = []container.MountPoint{{Type: mount.TypeBind, Source: "/var/run/docker.sock", Destination: "/s"}}
		}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			f.run("a")
			tt.world(f)
			p := newTable(t)
			p.process(4000, "node", 1, "0::/system.slice/docker-"+id("a")+".scope")
			containers, sources := f.enginesWith(Options{Timeout: 20 * time.Second, Proc: string(p.proc)}).Containers(t.Context())
			if source := only(t, sources); !source.RunnersVisible.Or(false) || source.Reason != "" {
				t.Errorf("a runner may be hidden: %q", source.Reason)
			}
			if got := slices.ContainsFunc(containers, func(c inventory.Container) bool { return c.HasEngine }); got != tt.want {
				t.Errorf("one has the socket: %v, want %v", got, tt.want)
			}
		})
	}
}

func TestAContainerThatVanishesIsLeftOut(t *testing.T) {
	f := newFake(t)
	f.run("a")
	f.run("b")
	f.on("GET /containers/"+id("a")+"/json", refusal(http.StatusNotFound, "No such container"))
	containers, sources := f.engines().Containers(t.Context())
	if got := ids(containers); !slices.Equal(got, []string{id("b")}) {
		t.Errorf("containers %q", got)
	}
	if source := only(t, sources); source.Status != inventory.StatusOK {
		t.Errorf("source %+v", source)
	}
}

func TestWhatCannotBeInspectedIsStillThere(t *testing.T) {
	f := newFake(t)
	f.run("a")
	f.on("GET /containers/"+id("a")+"/json", refusal(http.StatusInternalServerError, "layer is broken"))
	containers, sources := f.engines().Containers(t.Context())
	if len(containers) != 1 || containers[0].State != "running" || containers[0].OpenStdin.IsKnown() {
		t.Errorf("containers %+v", containers)
	}
	source := only(t, sources)
	if source.Status != inventory.StatusPartial || !strings.Contains(source.Reason, "inspect container aaaaaaaaaaaa: layer is broken") {
		t.Errorf("source %+v", source)
	}
}

func TestExecsOfAContainer(t *testing.T) {
	f := newFake(t)
	f.run("a").ExecIDs = []string{"e1", "e2", "e3"}
	f.on("GET /exec/e1/json", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, container.ExecInspect{ExecID: "e1", Running: true, Pid: 4100})
	})
	f.on("GET /exec/e2/json", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, container.ExecInspect{ExecID: "e2", Running: false, Pid: 4101})
	})
	f.on("GET /exec/e3/json", refusal(http.StatusNotFound, "No such exec instance"))
	containers, sources := f.engines().Containers(t.Context())
	if got := containers[0].ExecPIDs; !slices.Equal(got, []int{4100}) {
		t.Errorf("execs %v, want the running one", got)
	}
	if source := only(t, sources); source.Status != inventory.StatusOK {
		t.Errorf("source %+v", source)
	}
}

func TestStoppedContainersAreInspectedOnce(t *testing.T) {
	f := newFake(t)
	f.run("a")
	stopped := f.exited("b")
	engines := f.engines()
	look := func() []inventory.Container {
		containers, _ := engines.Containers(t.Context())
		return containers
	}
	look()
	look()
	if got := f.times("GET /containers/" + id("b") + "/json"); got != 1 {
		t.Errorf("the stopped one was inspected %d times, want once", got)
	}
	if got := f.times("GET /containers/" + id("a") + "/json"); got != 2 {
		t.Errorf("the running one was inspected %d times in two looks", got)
	}
	if got := f.times("GET /info"); got != 1 {
		t.Errorf("the engine was asked for its id %d times, want once", got)
	}
	stopped.status = "Exited (0) 1 second ago"
	stopped.State.FinishedAt = "2026-11-20T13:00:00Z"
	if got := look()[1].FinishedAt.Hour(); got != 13 {
		t.Errorf("it ended again, and the former end at %d is still told", got)
	}
}

// unanswered is what the reason says of an engine that hangs.
const unanswered = "did not answer within"

func TestAnEngineThatCannotBeReadIsNotAnEmptyOne(t *testing.T) {
	tests := []struct {
		name  string
		world func(*fake)
		says  string
	}{
		{"the ping hangs", func(f *fake) {
			f.on("HEAD /_ping", hang)
			f.on("GET /_ping", hang)
		}, unanswered},
		{"the list hangs", func(f *fake) { f.on("GET /containers/json", hang) }, unanswered},
		{"a running container's inspect hangs", func(f *fake) { f.on("GET /containers/"+id("a")+"/json", hang) }, unanswered},
		{"the list fails", func(f *fake) {
			f.on("GET /containers/json", refusal(http.StatusInternalServerError, "database is locked"))
		}, "database is locked"},
		{"the list is no JSON", func(f *fake) {
			f.on("GET /containers/json", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) })
		}, "invalid character"},
		{"it lists by short ids", func(f *fake) {
			f.on("GET /containers/json", func(w http.ResponseWriter, _ *http.Request) {
				reply(w, []container.Summary{{ID: "aaaaaaaaaaaa"}})
			})
		}, "no full id"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			f.run("a")
			tt.world(f)
			timeout := 20 * time.Second
			if tt.says == unanswered {
				timeout = 300 * time.Millisecond
			}
			containers, sources := f.enginesWith(Options{Timeout: timeout}).Containers(t.Context())
			source := only(t, sources)
			if source.Status != inventory.StatusError || !strings.Contains(source.Reason, tt.says) || len(containers) > 0 {
				t.Errorf("source %+v, containers %v", source, containers)
			}
		})
	}
}

func TestASocketThatAcceptsAndNeverAnswers(t *testing.T) {
	path := filepath.Join(shortDir(t), "s.sock")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	f := &fake{t: t, socket: path}
	_, sources := f.enginesWith(Options{Timeout: 300 * time.Millisecond}).Containers(t.Context())
	if source := only(t, sources); source.Status != inventory.StatusError || !strings.Contains(source.Reason, "did not answer within 300ms") {
		t.Errorf("source %+v", source)
	}
}

func TestAnEngineThatComesBackIsRead(t *testing.T) {
	f := newFake(t)
	f.run("a")
	engines := f.engines()
	f.on("GET /containers/json", refusal(http.StatusServiceUnavailable, "starting"))
	if _, sources := engines.Containers(t.Context()); only(t, sources).Status != inventory.StatusError {
		t.Fatalf("sources %+v", sources)
	}
	f.on("GET /containers/json", nil)
	if containers, sources := engines.Containers(t.Context()); len(containers) != 1 || only(t, sources).Status != inventory.StatusOK {
		t.Errorf("containers %v, sources %+v", containers, sources)
	}
}

func TestAProxyThatDeniesInfoIsNoFault(t *testing.T) {
	f := newFake(t)
	f.run("a")
	f.on("GET /info", refusal(http.StatusForbidden, "Forbidden"))
	containers, sources := f.engines().Containers(t.Context())
	if source := only(t, sources); source.Status != inventory.StatusOK || source.Engine != "" || len(containers) != 1 {
		t.Errorf("source %+v, containers %v", source, containers)
	}
}

func TestBehindAProxyThatDeniesInfoTheHostTellsWhatItIs(t *testing.T) {
	for _, tt := range []struct {
		name, host string
		info       bool
		want       bool
		why        string
	}{
		{"a host", "devbox", false, true, ""},
		{"a virtual machine", "colima", false, false, "the virtual machine of colima"},
		{"nobody tells", "", false, false, "it cannot be told"},
		{"the engine tells", "", true, true, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			f.run("a")
			if !tt.info {
				f.on("GET /info", refusal(http.StatusForbidden, "Forbidden"))
			}
			p := newTable(t)
			p.process(4000, "node", 1, "0::/system.slice/docker-"+id("a")+".scope")
			if tt.host != "" {
				p.put("1/root/etc/hostname", tt.host+"\n")
			}
			_, sources := f.enginesWith(Options{Timeout: 20 * time.Second, Proc: string(p.proc)}).Containers(t.Context())
			source := only(t, sources)
			if source.RunnersVisible.Or(!tt.want) != tt.want || !strings.Contains(source.Reason, tt.why) || tt.want != (source.Reason == "") {
				t.Errorf("source %+v", source)
			}
		})
	}
}

func TestPodmanIsCalledByItsNameAndHasNoIDOfItsOwn(t *testing.T) {
	f := newFake(t)
	f.header = http.Header{"Api-Version": {"1.41"}, "Libpod-Api-Version": {"4.9.4"}, "Server": {"Libpod/4.9.4 (linux)"}}
	f.run("a")
	engines := f.engines()
	containers, sources := engines.Containers(t.Context())
	if source := only(t, sources); source.Status != inventory.StatusOK || source.Engine != "" || source.Called() != "podman" || len(containers) != 1 {
		t.Errorf("source %+v, containers %v", source, containers)
	}
	f.on("GET /containers/json", refusal(http.StatusServiceUnavailable, "starting"))
	if _, sources = engines.Containers(t.Context()); only(t, sources).Called() != "podman" || only(t, sources).Status != inventory.StatusError {
		t.Errorf("after it failed: %+v", sources)
	}
	f.on("GET /containers/json", nil)
	f.on("GET /info", refusal(http.StatusForbidden, "Forbidden"))
	if _, sources = f.engines().Containers(t.Context()); only(t, sources).Called() != "podman" {
		t.Errorf("behind a proxy that denies /info: %+v", sources)
	}
}

// found makes engines that look for usual sockets below a root.
func found(t *testing.T, h *host) *Engines {
	t.Helper()
	engines := New(Options{Environment: h.env(), Timeout: 20 * time.Second, Proc: t.TempDir()})
	t.Cleanup(engines.Close)
	return engines
}

func (h *host) place(path string) string {
	h.t.Helper()
	path = filepath.Join(h.root, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		h.t.Fatal(err)
	}
	return path
}

func TestNoEngineAnywhereIsOneAbsentSource(t *testing.T) {
	containers, sources := found(t, newHost(t)).Containers(t.Context())
	source := only(t, sources)
	if source.Status != inventory.StatusAbsent || source.Reason != "no engine socket found" || len(containers) > 0 {
		t.Errorf("source %+v", source)
	}
}

func TestTwoWaysToOneEngineCountOnce(t *testing.T) {
	h := newHost(t)
	f := newFake(t)
	f.run("a")
	f.serve(h.place("/var/run/docker.sock"))
	f.serve(h.place(home + "/.orbstack/run/docker.sock"))
	containers, sources := found(t, h).Containers(t.Context())
	if source := only(t, sources); len(containers) != 1 || !strings.HasSuffix(source.Endpoint, "/var/run/docker.sock") {
		t.Errorf("%d containers, source %+v", len(containers), source)
	}
}

func TestTwoEnginesAreBothRead(t *testing.T) {
	h := newHost(t)
	one, two := newFake(t), newFake(t) // with one id, as two engines before version 23 have
	two.data = "/srv/docker"
	one.run("b")
	two.run("a")
	one.serve(h.place("/var/run/docker.sock"))
	two.serve(h.place("/run/user/1000/docker.sock"))
	containers, sources := found(t, h).Containers(t.Context())
	if len(containers) != 2 || len(sources) != 2 || containers[0].Engine != sources[0].Endpoint || containers[1].Engine != sources[1].Endpoint {
		t.Errorf("containers %+v\nsources %+v", containers, sources)
	}
}

func TestASocketThatNobodyServes(t *testing.T) {
	t.Run("is absent where it was merely found", func(t *testing.T) {
		h := newHost(t)
		standin.DeadSocket(t, h.place("/var/run/docker.sock"))
		_, sources := found(t, h).Containers(t.Context())
		if source := only(t, sources); source.Status != inventory.StatusAbsent || source.Reason == "" {
			t.Errorf("source %+v", source)
		}
	})
	t.Run("is an error where it was named", func(t *testing.T) {
		path := filepath.Join(shortDir(t), "s.sock")
		standin.DeadSocket(t, path)
		_, sources := (&fake{t: t, socket: path}).engines().Containers(t.Context())
		if source := only(t, sources); source.Status != inventory.StatusError || !strings.Contains(source.Reason, "DOCKER_HOST") {
			t.Errorf("source %+v", source)
		}
	})
	t.Run("does not hide an engine that answers", func(t *testing.T) {
		h := newHost(t)
		f := newFake(t)
		f.run("a")
		standin.DeadSocket(t, h.place("/var/run/docker.sock"))
		f.serve(h.place("/run/user/1000/docker.sock"))
		containers, sources := found(t, h).Containers(t.Context())
		if len(containers) != 1 || sources[0].Status != inventory.StatusOK || sources[1].Status != inventory.StatusAbsent {
			t.Errorf("containers %v, sources %+v", containers, sources)
		}
	})
}

func TestASocketThatMayNotBeOpened(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may open every socket")
	}
	f := newFake(t)
	if err := os.Chmod(f.socket, 0); err != nil {
		t.Fatal(err)
	}
	_, sources := f.engines().Containers(t.Context())
	if source := only(t, sources); source.Status != inventory.StatusError || !slices.Equal(source.Gaps, []inventory.Gap{inventory.GapDenied}) || source.Remedy == "" || !strings.HasSuffix(source.Reason, "; "+source.Remedy) {
		t.Errorf("source %+v", source)
	}
}

func TestAnAddressNobodySpeaksIsAnErrorWithARemedy(t *testing.T) {
	engines := New(Options{Environment: Environment{Getenv: func(name string) string {
		return map[string]string{"DOCKER_HOST": "ssh://dev@build"}[name]
	}}})
	containers, sources := engines.Containers(t.Context())
	if source := only(t, sources); source.Status != inventory.StatusError || !strings.Contains(source.Reason, "run reaperd on that host") || len(containers) > 0 {
		t.Errorf("source %+v", source)
	}
}

func TestALookThatIsGivenUpIsAnError(t *testing.T) {
	f := newFake(t)
	f.run("a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	containers, sources := f.engines().Containers(ctx)
	if source := only(t, sources); source.Status != inventory.StatusError || len(containers) > 0 {
		t.Errorf("source %+v, containers %v", source, containers)
	}
}

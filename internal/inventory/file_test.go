package inventory

import (
	"bytes"
	"compress/gzip"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"
)

const head = `{"version":1,"taken_at":"2026-11-20T08:00:00Z","sources":[{"name":"processes","status":"ok"}],`

func TestReadTellsLeftOutFromUnreadableFromKnown(t *testing.T) {
	snapshot, err := Read(strings.NewReader(head + `"processes":[
	 {"pid":7,"start":1},
	 {"pid":8,"start":1,"listening":null,"stdout":null},
	 {"pid":9,"start":1,"listening":false,"stdin":{"kind":"pipe","id":"pipe:[1]","peer":"closed","holders":[]}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	left, unreadable, known := snapshot.Processes[0], snapshot.Processes[1], snapshot.Processes[2]
	if !left.Listening.IsZero() || !left.Stdin.IsZero() {
		t.Errorf("a field that is left out is not recorded, got %+v", left)
	}
	if !unreadable.Listening.IsUnreadable() || !unreadable.Stdout.IsUnreadable() {
		t.Errorf("null is unreadable, got %+v", unreadable)
	}
	if listening, ok := known.Listening.Get(); !ok || listening {
		t.Errorf("false is known and false, got %v %v", listening, ok)
	}
	if stdin, _ := known.Stdin.Get(); stdin.Holders == nil || len(stdin.Holders) != 0 {
		t.Errorf("an empty list of holders is looked for and not found, got %#v", stdin.Holders)
	}
}

func TestWriteThenReadIsTheSame(t *testing.T) {
	before := &Snapshot{
		Version: 1, TakenAt: time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC),
		Host:    Host{OS: "linux", UID: Known(0), AwakeSeconds: Known(12.5)},
		Sources: []Source{{Name: SourceDocker, Status: StatusOK, RunnersVisible: Known(false)}},
		Processes: []Process{{PID: 7, Start: 9, PPID: Known(1), Argv: []string{"npm exec", "", ""}, Listening: Unreadable[bool](),
			Stdin: Known(Stdio{Kind: KindPipe, ID: "pipe:[1]", Peer: PeerOpen, Holders: []int{}})}},
		Containers: []Container{{ID: "c1", OpenStdin: Known(true)}},
	}
	for form, write := range map[string]func(io.Writer, *Snapshot) error{"plain": Write, "compressed": WriteCompressed} {
		var file bytes.Buffer
		if err := write(&file, before); err != nil {
			t.Fatal(err)
		}
		if is := bytes.HasPrefix(file.Bytes(), []byte(gzipMark)); is != (form == "compressed") {
			t.Errorf("%s: the file is compressed: %v", form, is)
		}
		after, err := Read(&file)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(before, after) {
			t.Errorf("%s: wrote %+v\nread  %+v", form, before, after)
		}
	}
}

func TestATableThatIsLeftOutWasNotRead(t *testing.T) {
	for _, c := range []struct {
		name, file string
		want       Status
	}{
		{"left out", head + `"containers":[]}`, StatusAbsent},
		{"null", head + `"processes":null}`, StatusAbsent},
		{"looked at, and none is listed", head + `"processes":[]}`, StatusOK},
	} {
		t.Run(c.name, func(t *testing.T) {
			snapshot, err := Read(strings.NewReader(c.file))
			if err != nil {
				t.Fatal(err)
			}
			if got := snapshot.Sources[0].Status; got != c.want {
				t.Errorf("the source's status is %q, want %q", got, c.want)
			}
		})
	}
}

func TestAContainerThatIsLeftOutIsTheOneOfTheCgroup(t *testing.T) {
	id := strings.Repeat("ab", 32)
	for _, c := range []struct{ name, process, want string }{
		{"Docker with the cgroupfs driver", `"cgroup":"/docker/` + id + `"`, id},
		{"Docker with the systemd driver", `"cgroup":"/system.slice/docker-` + id + `.scope"`, id},
		{"a container inside a container", `"cgroup":"/docker/` + strings.Repeat("cd", 32) + `/docker/` + id + `"`, id},
		{"a process of the host", `"cgroup":"/user.slice/user-1000.slice/session-3.scope"`, ""},
		{"an LXC guest of such a name", `"cgroup":"/lxc.payload.x/` + id + `"`, ""},
		{"no cgroup", `"comm":"node"`, ""},
		{"both are given", `"cgroup":"/docker/` + id + `","container_id":"c1"`, "c1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			snapshot, err := Read(strings.NewReader(head + `"processes":[{"pid":5,"start":1,` + c.process + `}]}`))
			if err != nil {
				t.Fatal(err)
			}
			if got := snapshot.Processes[0].ContainerID; got != c.want {
				t.Errorf("container %q, want %q", got, c.want)
			}
		})
	}
}

func TestReadRefusesWhatNoHostCanHaveShown(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"an empty file", " \n", "the file is empty"},
		{"a file that was cut off", head + `"processes":[{"pid":1,`, "cut off"},
		{"something that is no JSON", "processes: []", "line 1: not JSON: invalid character"},
		{"a string where a number belongs", head + "\n\"processes\":[{\"pid\":\"x\"}]}", `line 2: no JSON string belongs here: "processes.pid"`},
		{"no version", `{"taken_at":"2026-11-20T08:00:00Z"}`, "no version: is it a reaperd snapshot?"},
		{"a time that is none", head + "\n\"processes\":[{\"pid\":2,\"started_at\":\"x\"}]}", "\"x\" is no RFC 3339 time"},
		{"a time without its zone", `{"version":1,"taken_at":"2026-11-20T08:00:00"}`, "\"2026-11-20T08:00:00\" is no RFC 3339 time"},
		{"another version", `{"version":2,"taken_at":"2026-11-20T08:00:00Z"}`, "version 2: this reaperd reads version 1"},
		{"several snapshots in one file", `{"name":"x","snapshots":[]}`, "no version: is it a reaperd snapshot?"},
		{"a report of scan", `{"version":1,"taken_at":"2026-11-20T08:00:00Z","complete":true,"sources":[],"sessions":[],"targets":[]}`, "the file is a report of reaperd scan, sweep or explain"},
		{"two snapshots one behind the other", head + `"processes":[]}` + head + `"processes":[]}`, "something follows"},
		{"no time", `{"version":1,"processes":[]}`, "taken_at is missing"},
		{"a PID twice", head + `"processes":[{"pid":5,"start":1},{"pid":5,"start":2}]}`, "processes[1]: pid 5 is in the table twice"},
		{"a PID of zero", head + `"processes":[{"pid":0,"start":1}]}`, "processes[0]: pid 0"},
		{"a process that is its own parent", head + `"processes":[{"pid":5,"start":1,"ppid":5}]}`, "pid 5 is its own ancestor"},
		{"a ring of parents", head + `"processes":[{"pid":5,"start":1,"ppid":6},{"pid":6,"start":1,"ppid":7},{"pid":7,"start":1,"ppid":5}]}`, "is its own ancestor"},
		{"a peer that nobody knows", head + `"processes":[{"pid":5,"start":1},{"pid":6,"start":1,"stdin":{"kind":"pipe","peer":"OPEN"}}]}`, `processes[1].stdin.peer: "OPEN": want one of [open closed unknown]`},
		{"a kind that nobody knows", head + `"processes":[{"pid":5,"start":1,"stdout":{"kind":"fifo","peer":"open"}}]}`, `processes[0].stdout.kind: "fifo": want one of [pipe socket null tty file closed unknown]`},
		{"a container twice", head + `"containers":[{"id":"a"},{"id":"a"}]}`, "containers[1]: id a is in the list twice"},
		{"nesting without end", head + `"processes":` + strings.Repeat("[", 1<<20), "exceeded max depth"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read(strings.NewReader(c.file))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("want an error with %q, got %v", c.want, err)
			}
		})
	}
}

// compressed is a file as gzip leaves it.
func compressed(t *testing.T, content io.Reader) []byte {
	t.Helper()
	var file bytes.Buffer
	writer := gzip.NewWriter(&file)
	if _, err := io.Copy(writer, content); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestReadTakesWhatAnEditorOrGzipMadeOfAFile(t *testing.T) {
	const content = head + `"processes":[{"pid":7,"start":1}]}`
	whole := compressed(t, strings.NewReader(content))
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-6] ^= 1 // of the checksum
	for _, c := range []struct {
		name  string
		file  []byte
		fault string // empty where it is read
	}{
		{"a byte order mark", []byte("\ufeff" + content), ""},
		{"gzip", whole, ""},
		{"both", compressed(t, strings.NewReader("\ufeff"+content)), ""},
		{"gzip that was cut off", whole[:len(whole)-12], "the compressed file ends in the middle: it was cut off"},
		{"gzip of which the very beginning is left", whole[:5], "the compressed file ends in the middle: it was cut off"},
		{"gzip that was damaged", damaged, "decompress: gzip: invalid checksum"},
		{"gzip of nothing", compressed(t, strings.NewReader("")), "the file is empty"},
		{"a byte order mark alone", []byte("\ufeff"), "the file is empty"},
		{"gzip of more than there can be", compressed(t, io.LimitReader(endless{}, maxFileBytes+2)), "larger than 64 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			snapshot, err := Read(bytes.NewReader(c.file))
			switch {
			case c.fault == "" && (err != nil || len(snapshot.Processes) != 1 || snapshot.Processes[0].PID != 7):
				t.Errorf("read %+v, %v", snapshot, err)
			case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
				t.Errorf("want an error with %q, got %v", c.fault, err)
			}
		})
	}
}

func TestReadBoundsWhatAHostileFileCosts(t *testing.T) {
	if _, err := Read(endless{}); err == nil || !strings.Contains(err.Error(), "larger than 64 MiB") {
		t.Errorf("want a refusal, got %v", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestArgsIsWhatAPersonWouldHaveTyped(t *testing.T) {
	for _, c := range []struct {
		name string
		argv []string
		want []string
	}{
		{"a title that npm left, with its padding", []string{"npm exec @playwright/mcp@latest --headless   ", "", ""}, []string{"npm", "exec", "@playwright/mcp@latest", "--headless"}},
		{"a bare title", []string{"npm exec", "", ""}, []string{"npm", "exec"}},
		{"an empty argument between real ones", []string{"srv", "", "--x"}, []string{"srv", "", "--x"}},
		{"a path with a space", []string{"/Applications/My App/bin"}, []string{"/Applications/My App/bin"}},
		{"a zombie", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := (&Process{Argv: c.argv}).Args(); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAZombieWithThreadsIsAlive(t *testing.T) {
	for _, c := range []struct {
		process Process
		alive   bool
	}{
		{Process{State: "S"}, true},
		{Process{}, true},
		{Process{State: "Z", Threads: Known(1)}, false},
		{Process{State: "Z"}, false},
		{Process{State: "Z", Threads: Known(4)}, true},
		{Process{State: "X"}, false},
	} {
		if got := c.process.Alive(); got != c.alive {
			t.Errorf("%+v: alive %v, want %v", c.process, got, c.alive)
		}
	}
}

func TestSleepIsNoTimeHeld(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	before := Moment{At: noon, Awake: Known(100.0)}
	after := Moment{At: noon.Add(8 * time.Hour), Awake: Known(130.0)}
	if got := after.Since(before); got != 30*time.Second {
		t.Errorf("a night of sleep: held %v, want 30s", got)
	}
	if got := (Moment{At: noon.Add(time.Minute)}).Since(Moment{At: noon}); got != time.Minute {
		t.Errorf("no awake clock: held %v, want 1m", got)
	}
	if got := (Moment{At: noon}).Since(after); got != 0 {
		t.Errorf("a clock set back: held %v, want 0", got)
	}
}

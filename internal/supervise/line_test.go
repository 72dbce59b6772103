package supervise

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestALineIsReadOrLeftToTheOrdinaryCommand(t *testing.T) {
	environment := map[string]string{}
	lookup := func(name string) (string, bool) { value, set := environment[name]; return value, set }
	for _, c := range []struct {
		name, words string
		variable    string
		want        Line
		plain       bool
	}{
		{name: "the command behind dashes", words: "-- npx -y x", want: Line{Grace: DefaultGrace, Args: []string{"npx", "-y", "x"}}, plain: true},
		{name: "without dashes the first word that is no flag begins it", words: "npx --grace 1s", want: Line{Grace: DefaultGrace, Args: []string{"npx", "--grace", "1s"}}, plain: true},
		{name: "flags in both spellings", words: "--grace=1s --name memory -- x", want: Line{Grace: time.Second, Name: "memory", Args: []string{"x"}}, plain: true},
		{name: "a variable for a flag", words: "-- x", variable: "7s", want: Line{Grace: 7 * time.Second, Args: []string{"x"}}, plain: true},
		{name: "the flag beats it", words: "--grace 1s -- x", variable: "7s", want: Line{Grace: time.Second, Args: []string{"x"}}, plain: true},
		{name: "a variable that is no time", words: "-- x", variable: "soon"},
		{name: "no command", words: "--grace 1s --"},
		{name: "no words", words: ""},
		{name: "a command that is an empty word", words: "-- '' x"},
		{name: "one without dashes", words: "'' x"},
		{name: "an empty argument", words: "-- x ''", want: Line{Grace: DefaultGrace, Args: []string{"x", ""}}, plain: true},
		{name: "a flag that is not known", words: "--help -- x"},
		{name: "a flag without its value", words: "--name"},
		{name: "a grace of nothing", words: "--grace 0s -- x"},
	} {
		delete(environment, "REAPERD_GRACE")
		if c.variable != "" {
			environment["REAPERD_GRACE"] = c.variable
		}
		words := strings.Fields(c.words)
		for i, word := range words {
			words[i] = strings.Trim(word, "'")
		}
		got, plain := parseLine(words, lookup)
		if plain != c.plain || plain && !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v %v, want %+v %v", c.name, got, plain, c.want, c.plain)
		}
	}
}

func TestAContainerGoesThroughTheVariableUnchanged(t *testing.T) {
	line := Line{Args: strings.Fields("docker --context far run -i x"), Container: Container{At: 4, CIDFile: "/run/reaperd-exec-1/cid", Remove: true, Flags: []string{"--cidfile", "/run/reaperd-exec-1/cid", "--label", "reaperd.session=a b 7"}}}
	_, value, _ := strings.Cut(line.Container.Variable(), "=")
	got, ok := parseContainer(value)
	if !ok || !reflect.DeepEqual(got, line.Container) {
		t.Fatalf("%+v %v", got, ok)
	}
	want := []string{"docker", "--context", "far", "run", "--cidfile", "/run/reaperd-exec-1/cid", "--label", "reaperd.session=a b 7", "-i", "x"}
	if words := line.commandLine(); !slices.Equal(words, want) {
		t.Errorf("%q, want %q", words, want)
	}
	if none, ok := parseContainer(strings.TrimPrefix(Container{}.Variable(), preparedVariable+"=")); !ok || none.CIDFile != "" {
		t.Errorf("no container: %+v %v", none, ok)
	}
	for _, bad := range []string{"", "x", "x\ny", "1\ny", "-1\ny\ntrue", "1\ny\nz"} {
		if _, ok := parseContainer(bad); ok {
			t.Errorf("%q is taken for a container", bad)
		}
	}
}

func TestTheCommandIsExecutedAgainAsItWasWhereThatIsPlain(t *testing.T) {
	line := Line{Grace: time.Second, Name: "n", Args: []string{"docker", "run", "x"}}
	for _, c := range []struct{ name, argv, want string }{
		{"plain", "reaperd exec --name n -- docker run x", "reaperd exec --name n -- docker run x"},
		{"a flag before the word exec", "reaperd --color never exec -- docker run x", "reaperd exec --grace 1s --name n -- docker run x"},
		{"a flag that only the ordinary command knows", "reaperd exec --color=never -- docker run x", "reaperd exec --grace 1s --name n -- docker run x"},
	} {
		if got := strings.Join(line.Words(strings.Fields(c.argv)), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestOnlyThePersonsOwnProgramsAreLeft(t *testing.T) {
	lines := map[int]string{
		20: "node server.js", 30: "/opt/google/chrome/chrome https://login.example", 31: "/opt/google/chrome/chrome --type=renderer",
		40: "/usr/bin/chromium --headless --remote-debugging-pipe --user-data-dir=/tmp/p", 41: "/usr/bin/chromium --type=gpu-process",
		50: "/usr/lib/firefox/firefox", 60: "sleep 1", 70: "/usr/bin/godot -e",
	}
	tree := []process{
		{pid: 20, parent: 1}, {pid: 30, parent: 1}, {pid: 31, parent: 30},
		{pid: 40, parent: 20}, {pid: 41, parent: 40}, {pid: 50, parent: 20}, {pid: 60, parent: 1}, {pid: 70, parent: 20},
	}
	left := personal(tree, func(pid int) []string { return strings.Fields(lines[pid]) })
	want := map[int]bool{30: true, 31: true, 50: true, 70: true} // 40 is driven, 60 is nothing for a person
	if !reflect.DeepEqual(left, want) {
		t.Errorf("left: %v, want %v", left, want)
	}
}

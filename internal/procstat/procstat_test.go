package procstat

import (
	"hash/fnv"
	"reflect"
	"strings"
	"testing"
)

const plainStat = "141 (node) S 56 44 44 34816 44 4194304 5000 0 3 0 40 12 0 0 20 0 11 0 153644 1000000000 15000 18446744073709551615 1 1 0 0 0 0 0 4096 134300162 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n"

// movedStat names from 26 on each field by its number.
const movedStat = "141 (node) S 56 44 44 34816 44 4194304 5000 0 3 0 40 12 0 0 20 0 11 0 153644 1000000000 15000 18446744073709551615 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52\n"

// programOf is the hash of what is read of a program.
func programOf(words string) Program {
	hash := fnv.New64a()
	hash.Write([]byte(words))
	return Program(hash.Sum64())
}

func TestALineOfStat(t *testing.T) {
	for _, world := range []struct {
		says string
		line string
		want Stat
		bad  bool
	}{
		{says: "a server as the kernel writes it", line: plainStat, want: Stat{PID: 141, Comm: []byte("node"), State: 'S', PPID: 56, PGID: 44, SID: 44,
			TTY: 34816, flags: 4194304, Ticks: 52, Threads: 11, Start: 153644, RSS: 15000}},
		{says: "a name that looks like the end of a name", line: strings.Replace(plainStat, "(node)", "(a) S 1 (b)", 1), want: Stat{PID: 141, Comm: []byte("a) S 1 (b"), State: 'S', PPID: 56, PGID: 44, SID: 44,
			TTY: 34816, flags: 4194304, Ticks: 52, Threads: 11, Start: 153644, RSS: 15000}},
		{says: "a name with a line break", line: strings.Replace(plainStat, "(node)", "(a\n1 (c)", 1), want: Stat{PID: 141, Comm: []byte("a\n1 (c"), State: 'S', PPID: 56, PGID: 44, SID: 44,
			TTY: 34816, flags: 4194304, Ticks: 52, Threads: 11, Start: 153644, RSS: 15000}},
		{says: "a process whose session leader stands outside the PID namespace", line: strings.Replace(plainStat, "S 56 44 44", "S 0 0 0", 1), want: Stat{PID: 141, Comm: []byte("node"), State: 'S',
			TTY: 34816, flags: 4194304, Ticks: 52, Threads: 11, Start: 153644, RSS: 15000}},
		{says: "where an exec has put things", line: movedStat, want: Stat{PID: 141, Comm: []byte("node"), State: 'S', PPID: 56, PGID: 44, SID: 44,
			TTY: 34816, flags: 4194304, Ticks: 52, Threads: 11, Start: 153644, RSS: 15000, Program: programOf("node 26 27 28 45 46 47 48 49 50 51 ")}},
		{says: "an older kernel's shorter line", line: plainStat[:strings.Index(plainStat, " 18446")], want: Stat{PID: 141, Comm: []byte("node"), State: 'S', PPID: 56, PGID: 44, SID: 44,
			TTY: 34816, flags: 4194304, Ticks: 52, Threads: 11, Start: 153644, RSS: 15000}},
		{says: "nothing", line: "", bad: true},
		{says: "a line that was cut off", line: plainStat[:40], bad: true},
		{says: "no name", line: "141 S 56 44", bad: true},
		{says: "words where numbers belong", line: strings.Replace(plainStat, " 56 ", " x ", 1), bad: true},
		{says: "a name without parentheses", line: strings.Replace(plainStat, "(node)", "node", 1), bad: true},
		{says: "a name that does not end", line: strings.Replace(plainStat, ")", "", 1), bad: true},
		{says: "a name that ends before it begins", line: ")(", bad: true},
		{says: "a start that is no number", line: strings.Replace(plainStat, "153644", "x", 1), bad: true},
	} {
		t.Run(world.says, func(t *testing.T) {
			got, err := Parse([]byte(world.line))
			if (err != nil) != world.bad {
				t.Fatalf("error = %v, want one: %v", err, world.bad)
			}
			if !world.bad && !reflect.DeepEqual(got, world.want) {
				t.Errorf("got  %+v\nwant %+v", got, world.want)
			}
		})
	}
}

func TestWhatIsLeftOfAProcess(t *testing.T) {
	for _, world := range []struct {
		says   string
		stat   Stat
		want   Condition
		ending bool
	}{
		{says: "a zombie", stat: Stat{State: 'Z', Threads: 1}, want: Exited},
		{says: "a zombie whose exit is not over", stat: Stat{State: 'Z', Threads: 1, flags: exiting}, want: Exited},
		{says: "a zombie leader whose threads run on", stat: Stat{State: 'Z', Threads: 3}, want: Headless},
		{says: "a dead process", stat: Stat{State: 'X', Threads: 3}, want: Exited},
		{says: "one in its exit", stat: Stat{State: 'R', Threads: 1, flags: exiting}, want: Exited, ending: true},
		{says: "a sleeper", stat: Stat{State: 'S', Threads: 3}, want: Running},
	} {
		if is, ending := world.stat.Condition(), world.stat.IsEnding(); is != world.want || ending != world.ending {
			t.Errorf("%s: condition %d, ending %v", world.says, is, ending)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("7 (a) b) S 1 7 7 0 -1 4194304 1 0 0 0 1 2 0 0 20 0 1 0 153644 1000 10 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0"))
	f.Add([]byte("7 (\x00\xff) Z 1 7"))
	f.Fuzz(func(t *testing.T, line []byte) {
		s, err := Parse(line)
		if err == nil && (s.PID <= 0 || !isStateLetter(s.State)) || err != nil && !reflect.DeepEqual(s, Stat{}) {
			t.Errorf("%q became %+v, %v", line, s, err)
		}
	})
}

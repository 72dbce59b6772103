package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/internal/inventory"
)

// readmeWorld is the world of the README's transcript at one of two looks: a session with
// its server, 91 servers of sessions that are gone, and two whose owner is not known.
func readmeWorld(look int) *inventory.Snapshot {
	begun := time.Date(2026, 11, 26, 9, 40, 0, 0, time.UTC)
	s := &inventory.Snapshot{
		Version: 1, TakenAt: begun.Add(time.Duration(look) * time.Second),
		Host:    inventory.Host{Hostname: "devbox", OS: "linux", BootID: "b", PIDNamespace: "init", UID: inventory.Known(1000)},
		Sources: []inventory.Source{{Name: inventory.SourceProcesses, Status: inventory.StatusOK}},
	}
	add := func(p inventory.Process, age time.Duration, megabytes uint64) {
		p.StartedAt = begun.Add(-age)
		p.Start = uint64(p.StartedAt.Unix()) // the order of starts
		p.PGID, p.SID, p.UID, p.User, p.State = inventory.Known(p.PID), inventory.Known(p.PID), inventory.Known(1000), "dev", "S"
		p.MemoryBytes, p.MemoryKind = inventory.Known(megabytes*1e6), "pss"
		p.CPUSeconds, p.IOChars = inventory.Known(1+float64(look)*p.CPUSeconds.Or(0)), inventory.Known(uint64(0))
		s.Processes = append(s.Processes, p)
	}
	add(inventory.Process{PID: 1, PPID: inventory.Known(0), Comm: "systemd", Argv: []string{"/sbin/init"}}, 9*24*time.Hour, 12)
	add(inventory.Process{PID: 40, PPID: inventory.Known(1), Comm: "bash", Argv: []string{"-bash"}}, 9*24*time.Hour, 3)
	add(inventory.Process{
		PID: 82364, PPID: inventory.Known(40), Comm: "claude", Argv: []string{"claude"}, Cwd: "/home/dev/src/dollhouse",
		TTY: "pts/3", CPUSeconds: inventory.Known(0.041),
	}, 2*time.Hour+3*time.Minute, 558)
	add(dollhouse(82391, 82364, inventory.PeerOpen), 2*time.Hour+3*time.Minute, 52)
	for i, begun := range []struct {
		hoursAgo time.Duration
		servers  int
	}{{96, 20}, {43, 41}, {12, 30}} {
		for n := range begun.servers {
			add(dollhouse(40000+100*i+n, 1, inventory.PeerClosed), begun.hoursAgo*time.Hour-time.Duration(n)*time.Minute, 48)
		}
	}
	for _, pid := range []int{77102, 77140} {
		p := dollhouse(pid, 1, inventory.PeerUnknown)
		p.Stdin = inventory.Known(inventory.Stdio{Kind: inventory.KindNull, ID: "/dev/null"})
		p.Stdout = p.Stdin
		add(p, 52*time.Hour, 48)
	}
	return s
}

// dollhouse is a server below a parent. The other ends of its stdio are in the given
// state.
func dollhouse(pid, parent int, peer inventory.Peer) inventory.Process {
	holders := []int{}
	if peer == inventory.PeerOpen {
		holders = []int{parent}
	}
	stdio := func(which int) inventory.Fact[inventory.Stdio] {
		return inventory.Known(inventory.Stdio{Kind: inventory.KindSocket, ID: fmt.Sprintf("socket:[%d%d]", pid, which), Peer: peer, Holders: holders})
	}
	return inventory.Process{
		PID: pid, PPID: inventory.Known(parent), Comm: "node", Exe: "/usr/bin/node", Stdin: stdio(0), Stdout: stdio(1),
		Argv: []string{"node", "/home/dev/src/dollhouse/mcp-server/dist/index.js"}, Cwd: "/home/dev/src/dollhouse", Configured: "dollhousemcp",
		CPUSeconds: inventory.Known(0.0),
	}
}

// TestTheTranscriptOfTheREADMEIsWhatIsPrinted replays its world.
func TestTheTranscriptOfTheREADMEIsWhatIsPrinted(t *testing.T) {
	t.Setenv("LC_ALL", "C.UTF-8")
	t.Setenv("HOME", "/home/dev")
	local := time.Local
	time.Local = time.UTC
	t.Cleanup(func() { time.Local = local })
	args := []string{"scan", "--dry-run"}
	for look := range 2 {
		path := filepath.Join(t.TempDir(), "look.json")
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := inventory.Write(file, readmeWorld(look)); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--snapshot", path)
	}
	var out, complaint strings.Builder
	if code := run(t.Context(), args, cli.Terminal{In: strings.NewReader(""), Out: &out, Err: &complaint, Columns: 96}); code != exitOK {
		t.Fatalf("exit %d: %s", code, complaint.String())
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(readme), "\n```\n$ reaperd scan --dry-run\n")
	block, _, found := strings.Cut(block, "```\n")
	if _, want, _ := strings.Cut(out.String(), "\n"); !found || block != want { // the first line says that it is a replay
		t.Errorf("the README shows\n%s\nand this is printed:\n%s", block, want)
	}
}

// TestTheTranscriptOfWrapIsWhatIsPrinted wraps the file of docs/exec.md. It shows a terminal, where remarks have
// "~" for the home folder.
func TestTheTranscriptOfWrapIsWhatIsPrinted(t *testing.T) {
	ownState(t)
	home := os.Getenv("HOME")
	path := filepath.Join(home, ".cursor", "mcp.json")
	text, err := os.ReadFile("../../docs/exec.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(text), "```console\n$ reaperd wrap cursor\n")
	block, _, _ = strings.Cut(block, "```\n")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`{"mcpServers": {"memory": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"]}}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	got := command(t, "wrap", path, "--yes", "--program", "reaperd")
	said := strings.ReplaceAll(got.out, home, "/home/dev") + strings.ReplaceAll(got.err, home, "~")
	want := strings.Replace(block, "Write this to the file? [y/N] y\n", "", 1)
	if strings.Join(strings.Fields(said), " ") != strings.Join(strings.Fields(want), " ") {
		t.Errorf("docs/exec.md shows\n%s\nand this is printed:\n%s", want, said)
	}
}

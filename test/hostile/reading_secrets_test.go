//go:build linux

package hostile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/reaperd/reaperd/test/daemon"
	"github.com/reaperd/reaperd/test/farm"
	"github.com/reaperd/reaperd/test/farm/actor"
	"github.com/reaperd/reaperd/test/farm/cast"
)

// readingSecrets are command lines, each with a secret, as people give one to a server. The
// secret contains "Zx81kQ" or is one of the tokens.
var readingSecrets = [][]string{
	{"--header=x-goog-api-key: Zx81kQa"}, {"--header", "Authorization: Zx81kQb"}, {"--header", "Authorization: Bearer Zx81kQc"},
	{"-H", "Authorization:", "Bearer", "Zx81kQd"}, {"Bearer", "Zx81kQe"}, {"-HX-Api-Key: Zx81kQf"}, {"--header", "Cookie: a=1; session=Zx81kQg"},
	{"-u", "alice:Zx81kQh"}, {"--user", "alice:Zx81kQi"}, {"--user=alice:Zx81kQj"}, {"-p", "Zx81kQk"}, {"--otp", "Zx81kQl"},
	{"--token", "Zx81kQm"}, {"--token=Zx81kQn"}, {"--apiKey", "Zx81kQo"}, {"--client-secret=Zx81kQp"}, {"--connection-string", "Server=a;Pwd=Zx81kQq"},
	{"API_KEY=Zx81kQr"}, {"--env", "FOO=Zx81kQs"}, {"-e", "FOO=Zx81kQt"}, {"--env=FOO=Zx81kQu"},
	{"postgres://u:Zx81kQv@db/x"}, {"postgres://u:pa/Zx81kQw@db/x"}, {"https://Zx81kQx@h/p"}, {"https://h/?token=Zx81kQy"}, {"https://h/mcp?a=1&api_key=Zx81kQz"},
	{"%7B%22token%22%3A%22Zx81kQA%22%7D"}, {`{"token":"Zx81kQB"}`}, {`{"env":{"FOO":"Zx81kQC"}}`}, {`{"env":["FOO=Zx81kQD"]}`}, {`{"headers":{"X-Any":"Zx81kQE"}}`},
	{`"{\"password\":\"Zx81kQF\"}"`}, {"--config", `{"nested":{"apiKey" : "Zx81kQG"}}`},
	{"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}, {"q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA="},
	{"https://hooks.slack.com/services/T00/B00/Zx81kQHabc"}, {"https://hooks.zapier.com/hooks/catch/123/Zx81kQI"}, {"https://discord.com/api/webhooks/123456/Zx81kQJabc"},
	{"https://acme.webhook.office.com/webhookb2/a/IncomingWebhook/Zx81kQK"}, {"https://api.telegram.org/bot110201543:Zx81kQLabc/x"}, {"https://mcp.example.com/s/Zx81kQM0m2N4bV7c/mcp"},
	{"ghp_0123456789abcdefABCDEF0123456789abcd"}, {"github_pat_11ABCDEFG0123456789_abcdefghij"}, {"sk-ant-api03-abcdefgh0123456789"}, {"xoxb-123456789-abcdefgh"},
	{"AKIAIOSFODNN7EXAMPLE"}, {"glpat-0123456789abcdefghij"}, {"npm_0123456789abcdefghijklmnop"}, {"AIzaSyA0123456789abcdefghijklmnop"},
	{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc_def"}, {"hf_0123456789abcdefghijkl"}, {"--key", "Zx81kQN"}, {"--password", "/Zx81kQO"}, {"--dsn=Zx81kQP"},
	{"--signature=Zx81kQQ"},
	{"--mcp-config", `{"mcpServers":{"x":{"command":"npx","args":["-y","p","--token","Zx81kQR"],"env":{"FOO":"Zx81kQS"}}}}`}, {`["/srv","--token","Zx81kQT"]`},
	{"-c", `mcp_servers.x.env={API_KEY="Zx81kQU"}`}, {"-c", `mcp_servers.x.args=["--token","Zx81kQV"]`}, {"-c", `mcp_servers.x.env.FOO="Zx81kQW"`},
	{`{"env":[{"name":"API_KEY","value":"Zx81kQX"}]}`}, {`{"headers":[{"name":"X-Any","value":"Zx81kQY"}]}`}, {`{"a":"{\"token\":\"Zx81kQZ\"}"}`},
	{`"{\n  \"env\": {\n    \"FOO\": \"Zx81kQ0\"\n  }\n}"`}, {"--headers", `{"X-Any":"Zx81kQ1"}`}, {"%22token%22%3A%22Zx81kQ2"}, {`"token":"Zx81kQ3","env":{"FOO":"Zx81kQ4"}}`},
	{"AKIA0000000000000000glpat-0123456789abcdefghij"}, {"/srv/cw-ghp_0123456789abcdefABCDEF0123456789abcd/x"}, {"{'token': 'Zx81kQ5'}"},
}

// readingBare are the secrets that are masked as a whole.
var readingBare = []string{
	"Zx81kQ", "9f86d081884c7d65", "q83vEjRWeJCrze8S", "ghp_0123456789", "github_pat_11", "sk-ant-api03", "xoxb-1234", "AKIAIOSF", "glpat-0123", "npm_0123", "AIzaSyA",
	"eyJhbGciOiJIUzI1NiJ9", "hf_0123456789",
}

// readingLeaks returns the secrets that a text contains.
func readingLeaks(text string) (leaks []string) {
	for _, secret := range readingBare {
		if at := strings.Index(text, secret); at >= 0 {
			leaks = append(leaks, text[max(0, at-60):min(len(text), at+40)])
		}
	}
	return leaks
}

func TestPlantedSecretsAreInNoOutput(t *testing.T) {
	readingWithin(t, func(t *testing.T, live *farm.Live) {
		var parts []actor.Part
		for i, secret := range readingSecrets {
			part := cast.Deaf(cast.Server("s"+string(rune('A'+i/26))+string(rune('a'+i%26)), "$W/home/dev/mcp-server/dist/index.js", actor.Socket, secret...))
			part.Env = []string{"REAPERD_OWNER=Zx81kQowner"}
			part.Cwd = "home/token=Zx81kQcwd/cw-ghp_0123456789abcdefABCDEF0123456789abcd"
			parts = append(parts, part)
		}
		kept := readingServer("kept", "--token", "Zx81kQkept")
		live.Start(t, []actor.Part{cast.Claude("gone", parts...), kept})
		outputs := readingOneShots(t, live, "alive")
		live.KillAll(t, []string{"gone"})
		d := daemon.Launch(t, live, daemon.Options{Policy: readingPolicy, Args: []string{"--log-level", "debug", "--mode", "report"}})
		d.AwaitSweeps(t, 4)
		for name, text := range readingOneShots(t, live, "orphaned") {
			outputs[name] = text
		}
		for _, path := range []string{"/", "/v1/account", "/v1/hello", "/metrics"} {
			_, outputs["socket "+path] = d.Get(t, path)
		}
		outputs["log of the daemon that reports"] = d.Said()
		d.Kill(t)
		acting := daemon.Launch(t, live, daemon.Options{Policy: readingPolicy, Args: []string{"--log-level", "debug"}})
		for _, part := range parts {
			daemon.Gone(t, live, part.Name)
		}
		acting.AwaitMore(t, 2)
		for _, args := range [][]string{{"status"}, {"status", "-o", "json"}, {"history"}, {"history", "-o", "json"}, {"history", "-o", "yaml"}, {"scan"}, {"pins"}} {
			_, out, talk := acting.Run(t, args...)
			outputs["reaperd "+strings.Join(args, " ")] = out + talk
		}
		for _, path := range []string{"/", "/v1/account", "/v1/hello"} {
			_, outputs["after the acts "+path] = acting.Get(t, path)
		}
		outputs["log of the daemon that acts"] = acting.Said()
		for _, file := range readingFiles(t, acting.State()) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(text) > 0 { // a lock is empty
				outputs[file] = string(text)
			}
		}
		for name, text := range outputs {
			if text == "" {
				t.Errorf("%s is empty", name)
			}
			for _, leak := range readingLeaks(text) {
				t.Errorf("%s: …%q…", name, leak)
			}
		}
		if shown := strings.Count(outputs["orphaned: reaperd scan -o json"], "***"); shown < len(readingSecrets) {
			t.Errorf("%d masks for %d secrets: the outputs do not show what was planted", shown, len(readingSecrets))
		}
		farm.Figure(t, "%d secrets in %d outputs", len(readingSecrets), len(outputs))
	})
}

// readingOneShots returns the outputs of reaperd's commands about the world.
func readingOneShots(t *testing.T, live *farm.Live, when string) map[string]string {
	t.Helper()
	outputs := map[string]string{}
	for _, args := range [][]string{
		{"scan"}, {"scan", "-o", "wide"}, {"scan", "-o", "json"}, {"scan", "-o", "yaml"}, {"snapshot"}, {"discover", "-o", "json"}, {"doctor"},
		{"explain", live.Being(t, "kept-server").String()}, {"explain", "-o", "json", live.Being(t, "sAa").String()}, {"explain", live.Being(t, "sAg").String()},
		{"sweep", "--dry-run"},
	} {
		answer, err := live.Command(t, args...).CombinedOutput()
		if len(answer) == 0 {
			t.Errorf("reaperd %v says nothing: %v", args, err)
		}
		outputs[when+": reaperd "+strings.Join(args[:min(len(args), 3)], " ")] = string(answer)
	}
	return outputs
}

// readingFiles lists the files in a state directory.
func readingFiles(t *testing.T, folder string) (files []string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, "*.json*"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no file in %s: %v", folder, err)
	}
	return found
}

func TestNoInvisibleCharacterIsInJSONOrYAML(t *testing.T) {
	readingWithin(t, func(t *testing.T, live *farm.Live) {
		live.Start(t, []actor.Part{readingServer("alice", "left\u202eright", "c1\u009b31m", "line\u2028break", "tag\U000e0041")})
		for _, args := range [][]string{{"scan", "-o", "json"}, {"scan", "-o", "yaml"}, {"snapshot"}, {"explain", "-o", "json", live.Being(t, "alice-server").String()}} {
			answer := live.Tell(t, args...)
			if !strings.Contains(answer, "right") {
				t.Errorf("%v does not show the arguments", args)
			}
			for _, r := range answer {
				if r > unicode.MaxASCII && !unicode.IsGraphic(r) {
					t.Errorf("%v: %U is raw", args, r)
				}
			}
		}
	})
}

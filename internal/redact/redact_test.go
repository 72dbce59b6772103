package redact

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/inventory"
)

// rows are argument vectors, written with | between the arguments, and what
// they are once their secrets are out. An empty want leaves them as they are.
var rows = []struct {
	name, argv, want string
}{
	{"a flag with its value", "mcp-server-x|--token=abc|--verbose", "mcp-server-x|--token=***|--verbose"},
	{"a flag before its value", "npx|@upstash/context7-mcp|--api-key|abc|stdio", "npx|@upstash/context7-mcp|--api-key|***|stdio"},
	{"in another spelling", "x|--apiKey|abc|--clientSecret=abc|-password|abc", "x|--apiKey|***|--clientSecret=***|-password|***"},
	{"a connection string", "x|--connection-string|Server=a;Pwd=b|--dsn=abc", "x|--connection-string|***|--dsn=***"},
	{"a flag that is a switch keeps the next flag", "x|--auth|--verbose|y", ""},
	{"names that only sound so", "x|--keyboard|us|--monkey=1|--author|me|--compass|n|--tokenizer=bpe|--passive|y", ""},
	{"names that are about a secret", "x|--key-file|/etc/k.pem|--token-limit|100|--auth-type=oauth|--max-tokens|5|--secret-name|db|--no-auth|on|--primary-key|id", ""},
	{"the path of a key is no key", "x|--key=/etc/ssl/k.pem|--credentials|./c.json|SSH_KEY=~/.ssh/id_ed25519", ""},
	{"the secret of lark-mcp's app", "npm exec @larksuiteoapi/lark-mcp mcp -a cli_a1 -s abc", "npm exec @larksuiteoapi/lark-mcp mcp -a cli_a1 -s ***"},
	{"variables and headers of mcp-proxy, in two words", "uvx|mcp-proxy|-e|FOO|abc|--headers|X-Key|abc|--env|BAR=abc|--port|80|npx|-y|x", "uvx|mcp-proxy|-e|FOO|***|--headers|X-Key|***|--env|BAR=***|--port|80|npx|-y|x"},
	{"the command behind reaperd exec", "/usr/bin/reaperd|exec|--name|jira|--|env|A=abc|npx|x", "/usr/bin/reaperd|exec|--name|jira|--|env|A=***|npx|x"},
	{"a tag of an image is none", "docker|run|-i|ghcr.io/x/y:sha-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b|mcp/x:20241125T101112Z-3f2a9c1-linux-amd64", ""},
	{"a name in an address is none", "x|https://h/mcp?model=Llama-4-Scout-17B-16E-Instruct&profile=alleged-guan-Yc3p2J4k", ""},
	{"mcp-proxy as a package with its version", "uvx|mcp-proxy@1.2|-e|FOO|abc", "uvx|mcp-proxy@1.2|-e|FOO|***"},
	{"mcp-proxy as an image, behind what docker passes on", "docker|run|-e|FOO|ghcr.io/x/mcp-proxy:latest|-e|BAR|abc", "docker|run|-e|FOO|ghcr.io/x/mcp-proxy:latest|-e|BAR|***"},
	{"an account with its secret", "npx|x|AC0123/SK0123:k9Vb2Qm4Xz7Lp1Rt8Wn5Yc3Jd6Hf0Gs2|--token|abc", "npx|x|AC0123/SK0123:***|--token|***"},
	{"keys in an address", "x|https://h/sse?ak=abc&v=2|https://h/mcp?code=abc==&page=3|https://h/?q=Qx7Lp2Vb9Kd4Mz8Rt1Wn5Yc3Jd6|https://h/?ref=abcdefghijklmnopqrst",
		"x|https://h/sse?ak=***&v=2|https://h/mcp?code=***&page=3|https://h/?q=***|https://h/?ref=abcdefghijklmnopqrst"},
	{"passwords by their last letters", "x|--dbpass|abc|--smtppwd|abc|--githubtoken|abc|--bypass|abc", "x|--dbpass|***|--smtppwd|***|--githubtoken|***|--bypass|abc"},
	{"a variable that docker passes on has no value", "docker|run|-e|FOO|mcp/x", "docker|run|-e|FOO|mcp/x"},
	{"the same as arguments", "node|/x/.bin/lark-mcp|mcp|-a|cli_a1|-s|abc", "node|/x/.bin/lark-mcp|mcp|-a|cli_a1|-s|***"},
	{"-s of others", "curl|-s|http://h|npm|-s|test", ""},
	{"a password may look like a path", "x|--password|/abc", "x|--password|***"},
	{"a variable as an argument", "x|API_KEY=abc|NOTION_TOKEN=abc|PATH=/bin", "x|API_KEY=***|NOTION_TOKEN=***|PATH=/bin"},
	{"docker run gives every variable a value", "docker|run|-i|-e|FOO=bar|--env|BAR=1|--env=BAZ=2|-eQUX=3|-e|NAME|mcp/x", "docker|run|-i|-e|FOO=***|--env|BAR=***|--env=BAZ=***|-eQUX=***|-e|NAME|mcp/x"},
	{"env gives every variable a value", "env|-i|FOO=bar|BAR=baz|node|FOO=bar", "env|-i|FOO=***|BAR=***|node|FOO=bar"},
	{"what is not docker's -e", "node|-e|console.log(1)|sed|-e|s/a/b/", ""},
	{"credentials in an address", "x|postgres://user:pa%3Ass@db:5432/x|https://tok@host/p?a=1", "x|postgres://***@db:5432/x|https://***@host/p?a=1"},
	{"an @ in the password", "x|postgres://user:p@ss@db/x", "x|postgres://***@db/x"},
	{"parameters of an address", "mcp-remote|https://h/mcp?a=1&token=abc&x=2&api_key=d#f|https://h/?signature=abc", "mcp-remote|https://h/mcp?a=1&token=***&x=2&api_key=***|https://h/?signature=***"},
	{"an address without secrets", "mcp-remote|https://mcp.example.com/sse|--port=80|http://127.0.0.1:33676/mcp", ""},
	{"a header", "mcp-remote|https://h|--header|Authorization: Bearer abc", "mcp-remote|https://h|--header|Authorization: Bearer ***"},
	{"a header without a space", "x|--header|Authorization:Bearer abc|--header|X-Api-Key: abc|--header|Accept: text/html", "x|--header|Authorization:Bearer ***|--header|X-Api-Key: ***|--header|Accept: text/html"},
	{"a header with another scheme", "x|-H|authorization: Basic dXNlcg==", "x|-H|authorization: Basic ***"},
	{"JSON in an argument", `x|--config|{"token":"abc","port":1,"nested":{"apiKey" : "a\"b"},"name":"n"}`, `x|--config|{"token":"***","port":1,"nested":{"apiKey" : "***"},"name":"n"}`},
	{"JSON in a string", `x|"{\"password\":\"abc\",\"a\":\"b\"}"`, `x|"{\"password\":\"***\",\"a\":\"b\"}"`},
	{"GitHub's tokens", "x|ghp_0123456789abcdefABCDEF0123456789abcd|github_pat_11ABCDEFG0123456789", "x|***|***"},
	{"tokens of models", "x|sk-ant-api03-abcdefgh0123456789|sk-proj-0123456789abcdefgh|AIzaSyA0123456789abcdefghijklmnop", "x|***|***|***"},
	{"tokens of others", "x|xoxb-123456789-abc|AKIAIOSFODNN7EXAMPLE|glpat-0123456789abcdefghij|npm_0123456789abcdefghijklmnop|tvly-dev-0123456789|fc-0123456789abcdef0", "x|***|***|***|***|***|***"},
	{"a JSON Web Token", "x|eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc_def", "x|***"},
	{"addresses that are secrets themselves", "x|SLACK_URL=https://hooks.slack.com/services/T00/B00/abc123", "x|SLACK_URL=https://hooks.slack.com/***"},
	{"a token inside another argument", "x|--header=X: ghp_0123456789abcdefABCDEF", "x|--header=X: ***"},
	{"a token of Airtable", "x|patAbCdEfGhIjKlMn.9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08|https://h/patAbCdEfGhIjKlMn.9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08/x|patterns.9f86d081", "x|***|https://h/***/x|patterns.9f86d081"},
	{"parameters in the fragment of an address", "x|--url|https://h/x#access_token=abc|--url=https://h/x?a=1#b=2&token=abc|https://h/x#readme", "x|--url|https://h/x#access_token=***|--url=https://h/x?a=1#b=2&token=***|https://h/x#readme"},
	{"words that begin like a token", "x|sk-learn-pipeline-server|task-0123456789abcdef|/srv/risk-0123456789abcdef0|fc-list", ""},
	{"a shell line", "sh|-c|API_KEY=abc npx -y @acme/mcp --token 'a b' --port 80 && echo done", "sh|-c|API_KEY=*** npx -y @acme/mcp --token '***' --port 80 && echo done"},
	{"a shell line with docker", `bash|-lc|docker run -i --rm -e FOO=bar -e "BAR=b z" -e NAME mcp/x`, `bash|-lc|docker run -i --rm -e FOO=*** -e "BAR=***" -e NAME mcp/x`},
	{"a title in one piece", "npm exec @acme/mcp --api-key abc --verbose", "npm exec @acme/mcp --api-key *** --verbose"},
	{"a reference to a variable is no secret", "sh|-c|x --token $TOKEN --key=${KEY}", ""},
	{"a reference to a variable in a header", "x|--header|Authorization:${KEY}|--header=Authorization: Bearer ${KEY}|sh -c 'x --header Authorization:$KEY'|Bearer ${KEY}", ""},
	{"a header of which only a part refers to one", "x|--header|Authorization:${KEY}Zx81kQ|--header=Authorization: Bearer Zx81kQ${KEY}", "x|--header|Authorization:***|--header=Authorization: Bearer ***"},
	{"tokens of letters alone", "x|glpat-UwjFawrIQuREFryEgRrL|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|-k|https://h/mcp?v=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|hf_datasets-viewer-with-a-long-name|npm_config_registry_and_more", "x|***|***|-k|https://h/mcp?v=***|hf_datasets-viewer-with-a-long-name|npm_config_registry_and_more"},
	{"a token of Discord", "mcp-discord|--config|MTE5ODYyMjQ4MzQ3MTkyNTI0OA.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs|MTk4NjIyNDgzNDcxOTI1MjQ.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs|Modules-Of-A-Long-Name.Module.js", "mcp-discord|--config|***|***|Modules-Of-A-Long-Name.Module.js"},
	{"a private key", "x|-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----", "x|-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY-----"},

	{"a header in one argument with its flag", "x|--header=x-goog-api-key: Zx81kQ|-HX-Api-Key: Zx81kQ", "x|--header=x-goog-api-key: ***|-HX-Api-Key: ***"},
	{"a header in two arguments", "x|--header|Authorization:|Zx81kQ|y", "x|--header|Authorization:|***|y"},
	{"a header in three arguments", "x|-H|Authorization:|Bearer|Zx81kQ|y", "x|-H|Authorization:|Bearer|***|y"},
	{"Bearer as an argument of its own", "x|Bearer|Zx81kQ|y", "x|Bearer|***|y"},
	{"a header whose value is missing keeps the next flag", "x|Bearer|--verbose", ""},
	{"cookies", "x|-H|Cookie: a=b; session=Zx81kQ", "x|-H|Cookie: ***"},
	{"a user with a password", "curl|-u|alice:hunter2|--user=bob:hunter3|--proxy-user|c:d/e", "curl|-u|alice:***|--user=bob:***|--proxy-user|c:***"},
	{"a user with a password in a shell line", "sh|-c|curl -u alice:hunter2 http://h", "sh|-c|curl -u alice:*** http://h"},
	{"docker's user and group", "docker|run|-u|node:node|--user=1000:1000|mcp/x", ""},
	{"a password behind -p", "mysql|-p|hunter2|db", "mysql|-p|***|db"},
	{"a password behind -p of what npx starts", "npx|-y|@acme/mcp|-p|hunter2", "npx|-y|@acme/mcp|-p|***"},
	{"what else -p means", "npx|-p|typescript|tsc|-p|tsconfig.json|docker|-p|8080:80|ssh|-p|22|mkdir|-p|a/b", ""},
	{"a one-time password", "x|--otp|492817|--totp=492817", "x|--otp|***|--totp=***"},
	{"a slash in the password of an address", "x|postgres://u:pa/ss@db/x|redis://:p/q@h:6379/0|https://u:p/w@h/x", "x|postgres://***@db/x|redis://***@h:6379/0|https://***@h/x"},
	{"a scope in the path of an address", "x|https://registry.example.com:443/@acme/pkg|https://h/@acme/x@1.2.3", ""},
	{"JSON that is percent-encoded", "x|%7B%22token%22%3A%22Zx81kQ%22%7D|--config=%7B%22password%22%3A%22Zx81kQ%22%7D|a%20b", "x|***|--config=***|a%20b"},
	{"an environment in JSON", `x|{"command":"npx","env":{"FOO":"Zx81kQ","BAR":"a}b"},"args":["y"]}`, `x|{"command":"npx","env":{"FOO":"***","BAR":"***"},"args":["y"]}`},
	{"a server called env in JSON, with an environment", `x|{"env":{"command":"npx","args":["y"],"env":{"FOO":"Zx81kQ"}}}`, `x|{"env":{"command":"npx","args":["y"],"env":{"FOO":"***"}}}`},
	{"a server called env in JSON, with an environment before its command", `x|{"env":{"env":{"FOO":"Zx81kQ"},"command":"npx","args":["y"]}}`, `x|{"env":{"env":{"FOO":"***"},"command":"npx","args":["y"]}}`},
	{"a server called env in JSON, with an environment as a list", `x|{"env":{"command":"npx","args":["y"],"env":["FOO=Zx81kQ"]}}`, `x|{"env":{"command":"npx","args":["y"],"env":["FOO=***"]}}`},
	{"an environment with a variable called command in JSON", `x|{"env":{"command":"Zx81kQ","BAR":"b"}}`, `x|{"env":{"command":"***","BAR":"***"}}`},
	{"an environment as a list in JSON", `x|{"env":["FOO=Zx81kQ","BAR=b"],"args":["C=d"]}`, `x|{"env":["FOO=***","BAR=***"],"args":["C=d"]}`},
	{"headers in JSON", `x|{"url":"http://h","headers":{"X-Any":"Zx81kQ"}}`, `x|{"url":"http://h","headers":{"X-Any":"***"}}`},
	{"an environment in JSON that is cut off", `x|{"env":{"FOO":"Zx81kQ","BAR":"b"`, `x|{"env":{"FOO":"***","BAR":"***"`},
	{"64 hexadecimal digits", "x|9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08|--seed=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "x|***|--seed=***"},
	{"base64", "x|q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=|--x|q83vEjRWeJ/rze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=", "x|***|--x|***"},
	{"what identifies a thing is no secret", "x|--session-id|9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08|123e4567-e89b-12d3-a456-426614174000|da39a3ee5e6b4b0d3255bfef95601890afd80709|ModelContextProtocolServerFilesystemV2", ""},
	{"a secret in the path of a webhook", "x|https://hooks.zapier.com/hooks/catch/123456/abcdef9/|https://acme.webhook.office.com/webhookb2/a@b/IncomingWebhook/c|https://api.telegram.org/bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/x", "x|https://hooks.zapier.com/***|https://acme.webhook.office.com/***|https://api.telegram.org/bot***"},
	{"a secret in the path of an address", "x|https://mcp.example.com/s/Zx81kQpL0m2N4bV7/mcp|https://mcp.example.com/123e4567-e89b-12d3-a456-426614174000/sse", "x|https://mcp.example.com/s/***/mcp|https://mcp.example.com/***/sse"},
	{"an address with words in its path", "x|https://docs.example.com/model-context-protocol/v2025-06-18/index.html", ""},
	{"a secret's name in a path", "x|/srv/token=Zx81kQ/y", "x|/srv/token=***"},

	{"an argument in a client's configuration in a line", `claude|--mcp-config|{"mcpServers":{"x":{"command":"npx","args":["-y","p","--token","Zx81kQ"]}}}`, `claude|--mcp-config|{"mcpServers":{"x":{"command":"npx","args":["-y","p","--token","***"]}}}`},
	{"a list of arguments", `x|["/srv","--token","Zx81kQ","--port","80"]`, `x|["/srv","--token","***","--port","80"]`},
	{"an environment in TOML", `codex|-c|mcp_servers.x.env={API_KEY="Zx81kQ", FOO = 'Zx81kQ'}|-c|mcp_servers.x.args=["--token","Zx81kQ"]|-c|mcp_servers.x.env.FOO="Zx81kQ"|-c|model="o3"`, `codex|-c|mcp_servers.x.env={API_KEY="***", FOO = '***'}|-c|mcp_servers.x.args=["--token","***"]|-c|mcp_servers.x.env.FOO="***"|-c|model="o3"`},
	{"a name and a value in JSON", `x|{"env":[{"name":"FOO","value":"Zx81kQ"}],"headers":[{"name":"X-Any","value":"Zx81kQ"}],"inputs":[{"key":"token","value":"Zx81kQ"},{"key":"port","value":"80"}]}`, `x|{"env":[{"name":"FOO","value":"***"}],"headers":[{"name":"X-Any","value":"***"}],"inputs":[{"key":"token","value":"***"},{"key":"port","value":"80"}]}`},
	{"JSON in JSON", `x|{"a":"{\"token\":\"Zx81kQ\",\"b\":\"{\\\"env\\\":{\\\"FOO\\\":\\\"Zx81kQ\\\"},\\\"c\\\":1}\"}","d":"e"}`, `x|{"a":"{\"token\":\"***\",\"b\":\"{\\\"env\\\":{\\\"FOO\\\":\\\"***\\\"},\\\"c\\\":1}\"}","d":"e"}`},
	{"JSON in JSON over some lines", `x|"{\n  \"env\": {\n    \"FOO\": \"Zx81kQ\"\n  }\n}"`, `x|"{\n  \"env\": {\n    \"FOO\": \"***\"\n  }\n}"`},
	{"a path that ends a string in JSON in JSON", `x|"{\"dir\":\"C:\\\\\",\"token\":\"Zx81kQ\"}"`, `x|"{\"dir\":\"C:\\\\\",\"token\":\"***\"}"`},
	{"the end of JSON whose beginning is cut off", `x|"token":"Zx81kQ","env":{"FOO":"Zx81kQ"}}`, `x|"token":"***","env":{"FOO":"***"}}`},
	{"that, percent-encoded", `x|%22token%22%3A%22Zx81kQ|%257B%2522apiKey%2522%253A%2522Zx81kQ`, `x|***|***`},
	{"JSON5 and YAML", `x|{token: Zx81kQ, port: 1}|{'token': 'Zx81kQ', url: https://u:Zx81kQ@h/p}`, `x|{token: ***, port: 1}|{'token': '***', url: https://***@h/p}`},
	{"a table behind a flag of its name", `x|--env|{"FOO":"Zx81kQ=b"}|--env={"FOO":"Zx81kQ=b"}|--headers|{"X-Any":"Zx81kQ"}|--env-json={"FOO":"Zx81kQ"}|--config={"a":"b"}`, `x|--env|{"FOO":"***"}|--env={"FOO":"***"}|--headers|{"X-Any":"***"}|--env-json={"FOO":"***"}|--config={"a":"b"}`},
	{"a list of a shell line", `sh|-c|codex -c mcp_servers.x.args='["--token","Zx81kQ"]' -c "mcp_servers.x.env={FOO=\"Zx81kQ\"}"`, `sh|-c|codex -c mcp_servers.x.args='["--token","***"]' -c "mcp_servers.x.env={FOO=\"***\"}"`},
	{"a text of arguments in JSON", `x|{"args":"--token Zx81kQ --port 80"}|--args,--token,Zx81kQ`, `x|{"args":"--token *** --port 80"}|--args,--token,***`},
	{"TOML and code with spaces around an equals sign", "x|API_KEY = \"Zx81kQ\"|a = 1\nb = 2|python3 -c 'os.environ[\"TOKEN\"] = \"Zx81kQ\"'", "x|API_KEY = \"***\"|a = 1\nb = 2|python3 -c 'os.environ[\"TOKEN\"] = \"***\"'"},
	{"brackets that are no list of arguments", "x|socket:[81234]|find . -name {} ;|{{.Names}}|map[a:b c:d]|a[0]=b|${HOME}/x", ""},
	{"tokens of two issuers without a gap", "x|AKIA0000000000000000glpat-0000000000000000|ghp_0123456789abcdefABCDghp_0123456789abcdefABCD|/srv/cw-ghp_0123456789abcdefABCDEF0123456789abcd/y", "x|***|***|/srv/cw-***/y"},

	{"a server's command line as Docker's gateway writes it", "docker|run|--rm|-i|--init|--security-opt|no-new-privileges|-l|docker-mcp=true|-l|docker-mcp-name=github-official|-e|GITHUB_PERSONAL_ACCESS_TOKEN|ghcr.io/github/github-mcp-server@sha256:5049daf0123456789abcdef0123456789abcdef0123456789abcdef012345678", ""},
	{"ids and files", "docker|run|--cidfile|/run/x.cid|--name|0123456789abcdef0123456789abcdef|containerd-shim|-id|0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", ""},
	{"paths and packages", "node|/home/dev/.npm/_npx/15b07286cbcc3329/node_modules/.bin/mcp-server-memory|@modelcontextprotocol/server-github@2026.8.31|/tmp/3fa85f64-5717-4562-b3fc-2c963f66afa6/x", ""},
	{"a gateway's command line", "docker-mcp|gateway|run|--catalog|x.yaml|--secrets|/home/dev/gw/secrets.env|--verify-signatures=false|--port|33676", ""},
	{"a browser's", "chrome|--user-data-dir=/tmp/x|--remote-debugging-port=0|--type=renderer", ""},
	{"empty arguments stay", "npm exec @acme/mcp||||", ""},
}

func TestArgs(t *testing.T) {
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			argv := strings.Split(row.argv, "|")
			kept := slices.Clone(argv)
			want := argv
			if row.want != "" {
				want = strings.Split(row.want, "|")
			}
			got := Args(argv)
			if !slices.Equal(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
			if again := Args(got); !slices.Equal(again, got) {
				t.Errorf("a second time it becomes %q", again)
			}
			if !slices.Equal(argv, kept) {
				t.Errorf("the original was changed: %q", argv)
			}
		})
	}
	if Args(nil) != nil {
		t.Error("an unknown argument vector became an empty one")
	}
}

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"dial https://u:p@h/x: timeout":                       "dial https://***@h/x: timeout",
		"kept: TOKEN=abc; more":                               "kept: TOKEN=***; more",
		"nobody holds the other end of its stdin":             "nobody holds the other end of its stdin",
		"4121:153644 owner: claude-code":                      "4121:153644 owner: claude-code",
		"read process 4121: permission denied":                "read process 4121: permission denied",
		"rule orphaned-servers, for: 30s, held 2d":            "rule orphaned-servers, for: 30s, held 2d",
		"git@github.com:acme/foo-mcp.git":                     "git@github.com:acme/foo-mcp.git",
		"unix:///var/run/docker.sock":                         "unix:///var/run/docker.sock",
		"socket:[81234]":                                      "socket:[81234]",
		"curl -H 'Authorization: token abc' http://h":         "curl -H 'Authorization: token ***' http://h",
		"sh -c 'lark-mcp mcp -a cli_a1 -s abc'":               "sh -c 'lark-mcp mcp -a cli_a1 -s ***'",
		"":                                                    "",
		"https://h.example/mcp#access_token=hunter2":          "https://h.example/mcp#access_token=***",
		"https://h.example/mcp#a=1&access_token=hunter2":      "https://h.example/mcp#a=1&access_token=***",
		"https://h.example/mcp?a=1#access_token=hunter2&b=2":  "https://h.example/mcp?a=1#access_token=***&b=2",
		"https://h.example/cb#code=hunter2":                   "https://h.example/cb#code=***",
		"TOKEN=hunter#key=2 https://h.example/#readme":        "TOKEN=*** https://h.example/#readme",
		"https://h.example/a.go#L10 https://h.example/#tab=2": "https://h.example/a.go#L10 https://h.example/#tab=2",
	} {
		got := Text(text)
		if got != want {
			t.Errorf("Text(%q) = %q, want %q", text, got, want)
		}
		if again := Text(got); again != got {
			t.Errorf("Text(%q), a second time: %q", text, again)
		}
	}
}

func TestSecretNames(t *testing.T) {
	secret := []string{"token", "--api-key", "API_KEY", "apiKey", "x-api-key", "GITHUB_PERSONAL_ACCESS_TOKEN", "password", "dbPassword", "PGPASSWORD",
		"client-secret", "private_key", "pat", "bearer", "credential", "connectionString", "dsn", "key", "OPENAI_APIKEY", "auth", "secrets.token"}
	plain := []string{"keyboard", "monkey", "author", "tokenizer", "key-file", "token-limit", "max-tokens", "publicKey", "compat", "path", "patch", "passive",
		"auth-type", "oauth-scopes", "secret-name", "no-auth", "", "-", "port", "docker-mcp-name", "keepalive", "design"}
	for _, name := range secret {
		if !isSecretName(name) {
			t.Errorf("%q is not taken for a secret's name", name)
		}
	}
	for _, name := range plain {
		if isSecretName(name) {
			t.Errorf("%q is taken for a secret's name", name)
		}
	}
}

func TestSnapshot(t *testing.T) {
	const secret = "hunter2hunter2"
	original := &inventory.Snapshot{
		Version: 1,
		Sources: []inventory.Source{{Name: "docker", Endpoint: "tcp://u:" + secret + "@h:1", Status: inventory.StatusOK}},
		Processes: []inventory.Process{
			{PID: 7, Start: 1, Argv: []string{"npx", "--token", secret}, Env: map[string]string{"OPENCODE_PID": "44", "REAPERD_KEEP": "1", "FOO": secret}},
			{PID: 8, Start: 2},
		},
		Containers: []inventory.Container{{ID: "ab", Command: []string{"x", "--api-key=" + secret},
			Labels: map[string]string{"docker-mcp": "true", "com.example.token": secret, "reaperd.owner": "44:1"}}},
	}
	before, _ := json.Marshal(original)
	clean := Snapshot(original)
	saved, err := json.Marshal(clean)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(saved), secret) {
		t.Errorf("the secret is still there: %s", saved)
	}
	for _, kept := range []string{`"OPENCODE_PID":"44"`, `"REAPERD_KEEP":"1"`, `"docker-mcp":"true"`, `"reaperd.owner":"44:1"`, `"FOO":"***"`} {
		if !strings.Contains(string(saved), kept) {
			t.Errorf("%s is gone: %s", kept, saved)
		}
	}
	if after, _ := json.Marshal(original); string(after) != string(before) {
		t.Errorf("the original was changed: %s", after)
	}
	if again := Snapshot(clean); !reflect.DeepEqual(again, clean) {
		t.Errorf("a second time it becomes %+v", again)
	}
	if clean.Processes[1].Argv != nil || clean.Processes[1].Env != nil {
		t.Error("what was unknown became empty")
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"ghp_0123456789abcdefABCDEF0123456789abcd":     Mask,
		"mcp-sk-ant-api03-abcdefgh0123456789":          "mcp-***", // as in a folder of a token's name
		"sk-ant-api03-abcdefgh0123456789":              Mask,
		"q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA":  Mask,
		"playwright-mcp":                               "playwright-mcp",
		"my_app-mcp-1":                                 "my_app-mcp-1",
		"0123456789abcdef0123456789abcdef":             "0123456789abcdef0123456789abcdef",
		"k8s_server_mcp-7d4b9c6f5-x2x9z_default_abc_0": "k8s_server_mcp-7d4b9c6f5-x2x9z_default_abc_0",
	} {
		if got := Name(name); got != want {
			t.Errorf("%q became %q, want %q", name, got, want)
		}
	}
}

func TestWorkDoesNotGrowWithTheText(t *testing.T) {
	huge := []string{"x", "--token", "hunter2", strings.Repeat("a=b ", 1<<20)}
	if got, want := Args(huge), []string{"x", "--token", Mask, cut}; !slices.Equal(got, want) {
		t.Errorf("got %.80q, want %q", got, want)
	}
	title := []string{strings.Repeat("a ", maxBytes/2-8) + "ghp_0123456789abcdefABCDEF0123456789abcd " + strings.Repeat("b ", maxBytes)}
	if got := Args(title)[0]; len(got) > maxBytes || strings.Contains(got, "ghp_") || !strings.HasSuffix(got, cut) {
		t.Errorf("a title of %d bytes ends with %q", len(got), got[len(got)-60:])
	}
	if got := Text(strings.Repeat("x", 1<<20)); got != cut {
		t.Errorf("one word of a megabyte became %d bytes", len(got))
	}
}

func TestASnapshotHasNoSecretsInMarkersNamesAndFolders(t *testing.T) {
	const token = "ghp_0123456789abcdefABCDEF0123456789abcd"
	clean := Snapshot(&inventory.Snapshot{
		Processes: []inventory.Process{{PID: 7, Start: 1, Cwd: "/home/dev/" + token, Argv: []string{"x", strings.Repeat("y", maxBytes)},
			Env: map[string]string{"REAPERD_OWNER": "44:1:123e4567-e89b-12d3-a456-426614174000:4026531836", "REAPERD_KEEP": token, "OPENCODE_PID": "hunter2"}}},
		Containers: []inventory.Container{{ID: "ab", Name: token,
			Labels: map[string]string{"reaperd.keep": "true", "reaperd.owner": token, "reaperd.lease": "2026-12-01T00:00:00Z", "note": token}}},
	})
	saved, err := json.Marshal(clean)
	if err != nil {
		t.Fatal(err)
	}
	for _, never := range []string{token, "hunter2"} {
		if strings.Contains(string(saved), never) {
			t.Errorf("%s is still there: %s", never, saved)
		}
	}
	for _, kept := range []string{"44:1:123e4567", `"reaperd.keep":"true"`, `"reaperd.lease":"2026-12-01T00:00:00Z"`, `"argv_sha256":"`} {
		if !strings.Contains(string(saved), kept) {
			t.Errorf("%s is gone: %s", kept, saved)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, row := range rows {
		f.Add(row.argv)
	}
	f.Add(`docker -i -e FOO="Ob-rase "BAR=b z" -e NAME mcp/x`) // quotes that do not close
	f.Fuzz(func(t *testing.T, text string) {
		once := Text(text)
		if twice := Text(once); twice != once {
			t.Errorf("Text(%q) = %q, then %q", text, once, twice)
		}
		args := Args(strings.Split(text, "|"))
		if again := Args(args); !slices.Equal(again, args) {
			t.Errorf("Args(%q) = %q, then %q", text, args, again)
		}
	})
}

func BenchmarkArgs(b *testing.B) {
	argv := strings.Split("/usr/bin/node|--max-old-space-size=4096|/home/dev/.npm/_npx/15b07286cbcc3329/node_modules/.bin/playwright-mcp|--headless|--browser|chromium", "|")
	for b.Loop() {
		Args(argv)
	}
}

// planted are ways to give a server a secret, each an argument or two.
func planted(secret string) [][]string {
	return [][]string{
		{"--token", secret}, {"--api-key=" + secret}, {"API_KEY=" + secret}, {"Authorization: Bearer " + secret}, {"--header=X-Api-Key: " + secret},
		{"-e", "FOO=" + secret}, {"https://u:" + secret + "@h/x"}, {"https://h/?token=" + secret}, {`{"password":"` + secret + `"}`},
		{`{"env":{"FOO":"` + secret + `"}}`}, {"--user", "alice:" + secret}, {"ghp_" + secret + secret},
		{"--mcp-config", `{"mcpServers":{"x":{"command":"npx","args":["-y","p","--token","` + secret + `"]}}}`}, {`["/srv","--token","` + secret + `"]`},
		{"-c", `mcp_servers.x.env={FOO="` + secret + `"}`}, {"-c", `mcp_servers.x.args=["--token","` + secret + `"]`},
		{`{"env":[{"name":"FOO","value":"` + secret + `"}]}`}, {`{"a":"{\"token\":\"` + secret + `\"}"}`}, {`"{\"env\":{\"FOO\":\"` + secret + `\"}}"`},
		{"%22token%22%3A%22" + secret}, {"AKIA0000000000000000glpat-" + secret}, {"/srv/cw-ghp_" + secret},
	}
}

func FuzzAPlantedSecretNeverComesOut(f *testing.F) {
	const secret = "hunter2Zx81kQpLm"
	for i := range planted(secret) {
		f.Add("npx|-y|@acme/mcp", "stdio|--verbose", i)
		f.Add("docker|run|-i|-e|NAME", "mcp/x", i)
		f.Add(`sh|-c|echo "`, `'|"|{|--x`, i)
	}
	f.Fuzz(func(t *testing.T, before, after string, which int) {
		ways := planted(secret)
		way := ways[int(uint(which)%uint(len(ways)))]
		argv := slices.Concat([]string{"server"}, strings.Split(before, "|"), way, strings.Split(after, "|"))
		if clean := strings.Join(Args(argv), " "); strings.Contains(clean, secret) {
			t.Errorf("Args(%q) = %q", argv, clean)
		}
	})
}

// Command generate writes the tables of the documentation that the code knows
// best, between the marks that name them:
//
//	go run ./docs/generate
//
//	docs/policy.md    the keys of policies.yaml
//	docs/metrics.md   what the daemon serves at /metrics
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/reaperd/reaperd/internal/policy"
	"github.com/reaperd/reaperd/internal/serve"
)

func main() {
	for file, text := range tables() {
		if err := renew(file, text); err != nil {
			fmt.Fprintln(os.Stderr, "generate:", err)
			os.Exit(1)
		}
	}
}

// tables are what is generated, by the file it stands in.
func tables() map[string]string {
	return map[string]string{"docs/policy.md": keyTables(), "docs/metrics.md": metricTable()}
}

// The marks around what is generated.
const (
	begin = "<!-- generated: go run ./docs/generate -->\n"
	end   = "<!-- end of what is generated -->\n"
)

func renew(file, text string) error {
	was, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	now, err := put(string(was), text)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, []byte(now), 0o644)
}

// put replaces what stands between the marks of a document.
func put(document, text string) (string, error) {
	before, rest, found := strings.Cut(document, begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return "", fmt.Errorf("the marks %q and %q are not in it", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return before + begin + text + end + after, nil
}

// keyTables is a table for each mapping of a policy file.
func keyTables() string {
	var b strings.Builder
	keys := policy.Keys()
	for _, part := range []struct {
		title string
		path  []string
	}{
		{"The file", nil},
		{"`limits`", []string{"limits"}},
		{"One of `rules`", []string{"rules"}},
		{"`match` and `exclude` of a rule, `match` of `protect`", []string{"rules", "match"}},
		{"One of `protect`", []string{"protect"}},
		{"One of `sessions` and `servers`", []string{"servers"}},
		{"Its `match`", []string{"servers", "match"}},
		{"`match` of one of `trust`, beside its `name`", []string{"trust", "match"}},
	} {
		fmt.Fprintf(&b, "\n### %s\n\n| key | takes | means | left out |\n|---|---|---|---|\n", part.title)
		for _, key := range policy.KeysBelow(keys, part.path...) {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", key.Name, takes(key), cell(key.About), code(key.Default))
		}
	}
	return b.String() + "\n"
}

// takes says what may stand behind a key.
func takes(key policy.Key) string {
	text := map[policy.Type]string{
		policy.TypeText: "text", policy.TypeGlob: "glob", policy.TypeBoolean: "`true`, `false`", policy.TypeCount: "number",
		policy.TypePercent: "number", policy.TypeSize: "size", policy.TypeDuration: "duration", policy.TypeSchedule: "cron spec",
		policy.TypeLabels: "`{label: glob}`", policy.TypeMapping: "mapping", policy.TypeList: "list",
	}[key.Type]
	if len(key.Words) > 0 {
		text = "`" + strings.Join(key.Words, "`, `") + "`"
	}
	if key.Several {
		text += "; or a list"
	}
	return text
}

func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

// metricTable is what the daemon serves.
func metricTable() string {
	var b strings.Builder
	b.WriteString("\n| metric | type | meaning |\n|---|---|---|\n")
	for _, metric := range serve.Describe() {
		name := metric.Name
		if len(metric.Labels) > 0 {
			name += "{" + strings.Join(metric.Labels, ",") + "}"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, metric.Type, cell(metric.Help))
	}
	return b.String() + "\n"
}

package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd/internal/cli"
	"github.com/reaperd/reaperd/test/standin"
)

// TestWordsAndFiles: where no word fits and the last line does not forbid it, a shell offers its files.
func TestWordsAndFiles(t *testing.T) {
	for _, row := range []struct {
		name  string
		line  []string
		word  string // among the words; "" is none
		files bool
	}{
		{"wrap takes clients", []string{"wrap", ""}, "claude-code", true},
		{"wrap takes a file, whatever is before it", []string{"wrap", "codex", "./x"}, "", true},
		{"the policy is a file", []string{"policy", "check", ""}, "", true},
		{"a time is none", []string{"history", "--since", ""}, "", false},
		{"a rule is none", []string{"sweep", "--rule", ""}, "orphaned-servers", false},
		{"a program of a folder is a file", []string{"demo", "--", "./"}, "", true},
	} {
		var out strings.Builder
		run(t.Context(), append([]string{"__complete"}, row.line...), cli.Terminal{Out: &out, Err: io.Discard})
		words, directive, _ := strings.Cut("\n"+out.String(), "\n:")
		if row.word != "" && !strings.Contains(words, "\n"+row.word) || strings.TrimSpace(directive) == "0" != row.files {
			t.Errorf("%s: got %q", row.name, out.String())
		}
	}
}

// TestScanIsOfferedPIDsToo, which its help calls names.
func TestScanIsOfferedPIDsToo(t *testing.T) {
	ownState(t)
	defer func(within time.Duration) { completeWithin = within }(completeWithin)
	completeWithin = time.Minute
	pid := standin.Server(t, "mcp-server-offered")
	for _, verb := range []string{"scan", "explain"} {
		if got := command(t, "__complete", verb, ""); !strings.Contains("\n"+got.out, "\n"+pid+"\t") {
			t.Errorf("%s: no %s in %q", verb, pid, got.out)
		}
	}
}

// bashCompletion is what the package bash-completion brings.
const bashCompletion = "/usr/share/bash-completion/bash_completion"

// shellScripts ask a shell for its completions of a line, which is $1.
var shellScripts = map[string]string{
	"bash": `source ` + bashCompletion + `
source <(reaperd completion bash)
COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9 COMP_KEY=9
read -ra COMP_WORDS <<<"$1"
[[ $1 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
compopt() { :; }
__start_reaperd
printf '%s\n' "${COMPREPLY[@]}"`,
	"zsh": `zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PROMPT= ; autoload -Uz compinit && compinit -u -D; source <(reaperd completion zsh); compdef _reaperd reaperd; setopt no_auto_menu no_list_ambiguous; bindkey "^I" list-choices; LISTMAX=0; print ready-$((1+1))'
until [[ $seen == *ready-2* ]]; do zpty -r shell line || break; seen+=$line; done
zpty -w -n shell "$1"$'\t'
seen=
for i in {1..40}; do zpty -rt shell line && seen+=$line; [[ $seen == *[[:space:]]$2* ]] && break; sleep 0.1; done
print -r -- $seen`,
	"fish": `reaperd completion fish | source
complete -C $argv[1]`,
}

// programFolder is a folder in which this program is called reaperd, and is it (TestMain).
func programFolder(t *testing.T) string {
	t.Helper()
	own, err := os.Executable()
	folder := t.TempDir()
	if err == nil {
		err = os.Symlink(own, filepath.Join(folder, "reaperd"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// TestRealShellsOfferWords runs the completion scripts in the shells themselves.
func TestRealShellsOfferWords(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: starts shells")
	}
	folder := programFolder(t)
	for shell, script := range shellScripts {
		t.Run(shell, func(t *testing.T) {
			if _, err := exec.LookPath(shell); err != nil {
				t.Skipf("left out: no %s here", shell)
			}
			if _, err := os.Stat(bashCompletion); shell == "bash" && err != nil {
				t.Skipf("left out: no %s here, which scripts for bash need", bashCompletion)
			}
			for line, want := range map[string]string{
				"reaperd scan -o ":         "wide",
				"reaperd sweep --rule ":    "orphaned-servers",
				"reaperd schema ":          "snapshot",
				"reaperd wrap ":            "claude-code",
				"reaperd policy show --po": "--policies",
				"reaperd exp":              "explain",
				"reaperd help ":            "exit-codes",
			} {
				if got := offeredBy(t, shell, script, folder, line, want); !strings.Contains(got, want) {
					t.Errorf("behind %q: %q, want %s among it", line, got, want)
				}
			}
		})
	}
}

func offeredBy(t *testing.T, shell, script, folder, line, want string) string {
	t.Helper()
	arguments := []string{"-c", script, shell, line, want}
	if shell == "fish" {
		arguments = []string{"--no-config", "-c", script, line}
	}
	cmd := exec.CommandContext(t.Context(), shell, arguments...)
	cmd.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "HOME="+folder, "TERM=xterm", "COLUMNS=200", "LINES=200")
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", shell, err, said)
	}
	return string(said)
}

package cli

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/human"
)

// program is a small one of this kind.
func program() *cobra.Command {
	root := &cobra.Command{Use: "prog", SilenceErrors: true, SilenceUsage: true, DisableSuggestions: true}
	run := func(*cobra.Command, []string) error { return nil }
	look := &cobra.Command{Use: "look", Args: Words(1, 1, "one name"), RunE: run}
	look.Flags().Duration("wait", time.Second, "")
	look.Flags().Bool("all", false, "")
	output := "table"
	look.Flags().FuncP("output", "o", "format: table, wide or json", OneOf(&output, "table", "wide", "json"))
	policy := &cobra.Command{Use: "policy"}
	policy.AddCommand(&cobra.Command{Use: "check", Args: cobra.NoArgs, RunE: run})
	root.AddCommand(look, policy, &cobra.Command{Use: "keep", Args: Words(1, Any, "a name"), RunE: run})
	root.SetOut(io.Discard)
	RefuseStrayWords(root)
	Suggest(root, map[string][]string{"look": {"ls", "go"}, "keep": {"go"}, "policy check": {"lint"}})
	return root
}

func TestWhatIsSaidOfAWrongCommandLine(t *testing.T) {
	for _, row := range []struct{ line, says, hint string }{
		{"look x", "", ""},
		{"policy check", "", ""},
		{"policy", "", ""},
		{"look", "look: want one name, got nothing", "prog look --help"},
		{"look a b", `look: want one name, got a b`, "prog look --help"},
		{"look ''", "look: want one name, got an empty word: is a variable of the command line not set?", "prog look --help"},
		{"keep", "keep: want a name, got nothing", "prog keep --help"},
		{"ls", `prog has no command "ls"`, "prog look"},
		{"go", `prog has no command "go"`, "prog keep, or prog look"},
		{"loko a;b", `prog has no command "loko"`, "prog look"},
		{"policy lint", `prog policy has no command "lint"`, "prog policy check"},
		{"look x --json", "prog look has no flag --json", "prog look -o json"},
		{"policy chekc", `prog policy has no command "chekc"`, "prog policy check"},
		{"policy check x", `prog policy check takes no "x"`, "prog policy check --help"},
		{"help plicy", `help "plicy": no such command or topic`, "reaperd help policy"},
		{"look x --wait soon", `--wait "soon": want a time with its unit, such as 30s or 2m`, "prog look --help"},
		{"look x --all=maybe", `--all "maybe": want true or false`, "prog look --help"},
		{"help foo", `help "foo": no such command or topic`, "reaperd help"},
		{"help nook", `help "nook": no such command or topic`, "reaperd help look"},
		{"help noop", `help "noop": no such command or topic`, "reaperd help"},
		{"help policy", "", ""},
		{"help policy check", "", ""},
		{"help policy chek", `help "policy chek": no such command or topic`, "reaperd help policy check"},
		{"help policy lint", `help "policy lint": no such command or topic`, "reaperd help policy check"},
		{"help look bar", `help "look bar": no such command or topic`, "reaperd help look"},
		{"help lok", `help "lok": no such command or topic`, "reaperd help look"},
		{"look x -o xml", `--output "xml": want table, wide or json`, "prog look --help"},
		{"look x --nothing", "prog look has no flag --nothing", "prog look --help"},
		{"look x --out-put json", "prog look has no flag --out-put", "prog look --output"},
		{"look x --al", "prog look has no flag --al", "prog look --all"},
		{"look x --wort 1s", "prog look has no flag --wort", "prog look --help"}, // two of four letters are others
		{"look x --wiat 1s", "prog look has no flag --wiat", "prog look --wait"},
		{"look x -z", "prog look has no flag -z", "prog look --help"},
		{"look x -zo", "prog look has no flag -z", "prog look --help"},
		{"look x --z", "prog look has no flag --z", "prog look --help"},
		{"look x -o", "-o: want a value, got nothing", "prog look --help"},
		{"look x --wait", "--wait: want a value, got nothing", "prog look --help"},
		{"policy check --all", "prog policy check has no flag --all", "prog policy check --help"},
	} {
		root := program()
		args := strings.Fields(row.line)
		for i, arg := range args {
			args[i] = strings.Trim(arg, "'")
		}
		root.SetArgs(args)
		cmd, err := root.ExecuteC()
		var advised *human.Error
		if err != nil && !errors.As(err, &advised) {
			errors.As(Misread(cmd, err), &advised)
		}
		switch {
		case row.says == "" && err == nil:
		case advised == nil || advised.Error() != row.says || advised.Hint != row.hint || !advised.Misuse:
			t.Errorf("%s: %v, %+v, want %q with hint %q", row.line, err, advised, row.says, row.hint)
		}
	}
}

func TestAFlagBeatsItsVariable(t *testing.T) {
	for _, row := range []struct {
		name, variable, flag string
		want                 time.Duration
		says                 string
	}{
		{"neither is given", "", "", time.Second, ""},
		{"the variable alone", "5s", "", 5 * time.Second, ""},
		{"both", "5s", "7s", 7 * time.Second, ""},
		{"a variable that cannot be read", "soon", "", 0, `REAPERD_WAIT="soon": want a time with its unit, such as 30s or 2m`},
		{"one that the flag overrules", "soon", "7s", 7 * time.Second, ""},
	} {
		look, _, _ := program().Find([]string{"look"})
		if row.flag != "" {
			_ = look.Flags().Set("wait", row.flag)
		}
		err := FromEnvironment(look.Flags(), func(name string) (string, bool) { return row.variable, name == "REAPERD_WAIT" && row.variable != "" })
		got, _ := look.Flags().GetDuration("wait")
		says := ""
		if err != nil {
			says = err.Error()
		}
		if says != row.says || says == "" && got != row.want {
			t.Errorf("%s: %s, %v", row.name, got, err)
		}
	}
}

func TestWordsThatStandThereAreNotOfferedAgain(t *testing.T) {
	root := program()
	words := Fixed("git\tof claude", "fetch")
	Completions{Arguments: map[string]Completer{"keep": words, "look": OnlyOne(words)}, Flags: map[string]Completer{"output": Fixed("json")}}.Register(root)
	for line, want := range map[string][]string{
		"keep ": {"git\tof claude", "fetch"}, "keep git ": {"fetch"}, "look ": {"git\tof claude", "fetch"}, "look git ": nil,
	} {
		args := strings.Fields(line)
		cmd, _, _ := root.Find(args[:1])
		if got, _ := cmd.ValidArgsFunction(cmd, args[1:], ""); !slices.Equal(got, want) {
			t.Errorf("behind %q: %q, want %q", line, got, want)
		}
	}
	look, _, _ := root.Find([]string{"look"})
	for flag, want := range map[string][]string{"output": {"json"}, "wait": nil} {
		find, known := look.GetFlagCompletionFunc(flag)
		if !known {
			t.Fatalf("--%s is completed by files", flag)
		}
		if got, directive := find(look, nil, ""); !slices.Equal(got, want) || directive != cobra.ShellCompDirectiveNoFileComp {
			t.Errorf("--%s: %q, %d", flag, got, directive)
		}
	}
}

func TestAShellShowsTheTextOfAFlagWithoutItsMarks(t *testing.T) {
	root := program()
	look, _, _ := root.Find([]string{"look"})
	look.Flags().String("save", "", "save to `FILE`")
	Completions{}.Register(root)
	var out strings.Builder
	root.SetOut(&out)
	root.SetArgs([]string{cobra.ShellCompRequestCmd, "look", "--sa"})
	if err := root.Execute(); err != nil || !strings.HasPrefix(out.String(), "--save\tsave to FILE\n") {
		t.Errorf("%q, %v", out.String(), err)
	}
}

func TestHelpIsOfferedOfCommandsAndTopics(t *testing.T) {
	root := program()
	root.AddCommand(&cobra.Command{Use: "codes", Short: "what codes mean", Long: "0 is good"}, &cobra.Command{Use: "secret", Hidden: true, RunE: func(*cobra.Command, []string) error { return nil }})
	help, _, _ := root.Find([]string{"help"})
	for typed, want := range map[string][]string{
		"":       {"codes", "completion", "keep", "look", "policy"},
		"policy": {"check"}, "look": nil, "nosuch": nil,
	} {
		var got []string
		for _, topic := range HelpTopics(help, strings.Fields(typed)) {
			name, _, _ := strings.Cut(topic, "\t")
			got = append(got, name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("behind help %q: %q, want %q", typed, got, want)
		}
	}
}

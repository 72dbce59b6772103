package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// manyCommands is a small program with each kind of page.
func manyCommands() *cobra.Command {
	root := &cobra.Command{Use: "prog", Short: "Looks"}
	run := func(*cobra.Command, []string) {}
	look := &cobra.Command{
		Use: "look [NAME…]", Short: "Look at it", Run: run,
		Long:    "Looks at what a\nNAME names.\n\n  a  table\n  ~  of `two'\n\n.claude.json is read.",
		Example: "  prog look 'git*'\n.hidden \\n",
	}
	look.Flags().StringP("output", "o", "", "write to `FILE`")
	policy := &cobra.Command{Use: "policy", Short: "What holds"}
	policy.AddCommand(&cobra.Command{Use: "check", Short: "Check it", Run: run})
	root.AddCommand(look, policy, &cobra.Command{Use: "codes", Short: "What codes mean", Long: "Codes:\n\n  0  good"},
		&cobra.Command{Use: "secret", Hidden: true, Run: run})
	root.InitDefaultCompletionCmd("look")
	root.InitDefaultHelpCmd()
	return root
}

func TestAPageIsWhatTheHelpSays(t *testing.T) {
	for command, want := range map[string]string{
		"look": `.TH "PROG\-LOOK" 1 "" prog "User Commands"
.ad l
.nh
.SH NAME
prog\-look \- Look at it
.SH DESCRIPTION
.PP
Looks at what a NAME names.
.PP
.in 0
.nf
  a  table
  \(ti  of \(gatwo\(aq
.fi
.in
.PP
\&.claude.json is read.
.SH USAGE
.in 0
.nf
  prog look [NAME...] [flags]
.fi
.in
.SH EXAMPLES
.in 0
.nf
  prog look \(aqgit*\(aq
\&.hidden \en
.fi
.in
.SH FLAGS
.in 0
.nf
  \-h, \-\-help          help for look
  \-o, \-\-output FILE   write to FILE
.fi
.in
.SH SEE ALSO
.BR prog (1)
`,
		"codes": `.TH "PROG\-CODES" 1 "" prog "User Commands"
.ad l
.nh
.SH NAME
prog\-codes \- What codes mean
.SH DESCRIPTION
.PP
Codes:
.PP
.in 0
.nf
  0  good
.fi
.in
.SH SEE ALSO
.BR prog (1)
`,
	} {
		cmd, _, err := manyCommands().Find([]string{command})
		if err != nil {
			t.Fatal(err)
		}
		cmd.InitDefaultHelpFlag()
		if got := page(cmd); got != want {
			t.Errorf("the page of %s is\n%s\nwant\n%s", command, got, want)
		}
	}
}

func TestWhatHasAPage(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "man")
	if err := WriteManual(manyCommands(), folder); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(folder)
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimSuffix(file.Name(), ".1"))
	}
	slices.Sort(names)
	if want := []string{"prog", "prog-codes", "prog-completion", "prog-look", "prog-policy", "prog-policy-check"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("pages %q (%v), want %q", names, err, want)
	}
}

package cli

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// manyCommands is a small one with each kind of page.
func manyCommands() *cobra.Command {
	root := &cobra.Command{Use: "prog", Short: "Looks"}
	root.AddGroup(&cobra.Group{ID: "see", Title: "See:"})
	root.PersistentFlags().String("color", "auto", "colour: auto or never")
	run := func(*cobra.Command, []string) {}
	look := &cobra.Command{
		Use: "look [NAME…]", Short: "Look at it", Run: run, GroupID: "see",
		Long:    "Looks at what a\nNAME names.\n\nTwice.",
		Example: "  prog look 'git*'\n  .hidden \\n",
	}
	look.Flags().StringP("output", "o", "", "write to `FILE`")
	look.Flags().Bool("all", false, "everything")
	look.Flags().Bool("secret", false, "not for people")
	_ = look.Flags().MarkHidden("secret")
	policy := &cobra.Command{Use: "policy", Short: "What holds"}
	policy.AddCommand(&cobra.Command{Use: "check", Short: "Check it", Run: run}, &cobra.Command{Use: "show [FILE]", Short: "Show it", Run: run, DisableFlagsInUseLine: true})
	root.AddCommand(look, policy,
		&cobra.Command{Use: "codes", Short: "What codes mean", Long: "Codes:\n\n  0  good"},
		&cobra.Command{Use: "secret", Hidden: true, Run: run})
	root.InitDefaultCompletionCmd("look")
	return root
}

func pageOf(t *testing.T, words ...string) string {
	t.Helper()
	root := manyCommands()
	cmd, _, err := root.Find(words)
	if err != nil {
		t.Fatal(err)
	}
	return page(root, cmd, time.Date(2026, 1, 2, 23, 0, 0, 0, time.FixedZone("east", 7200)))
}

func TestAPageIsWhatTheHelpSays(t *testing.T) {
	const want = `.TH "PROG\-LOOK" 1 2026-01-02 prog "User Commands"
.ad l
.nh
.SH "NAME"
prog\-look \- Look at it
.SH "SYNOPSIS"
\fBprog look [NAME...] [flags]\fR
.SH "DESCRIPTION"
Looks at what a NAME names.
.PP
Twice.
.SH "OPTIONS"
.TP 7
\fB\-\-all\fR
everything
.TP 7
\fB\-o\fR, \fB\-\-output\fR \fIFILE\fR
write to FILE
.SH "GLOBAL OPTIONS"
.TP 7
\fB\-\-color\fR \fIstring\fR
colour: auto or never (default auto)
.SH "EXAMPLES"
.nf
  prog look \(aqgit*\(aq
  .hidden \en
.fi
.SH "SEE ALSO"
.BR prog (1),
.BR prog\-codes (1)
`
	if got := pageOf(t, "look"); got != want {
		t.Errorf("the page is\n%s\nwant\n%s", got, want)
	}
}

func TestThePageOfTheProgramListsItsCommands(t *testing.T) {
	const want = `.SH "SEE"
.TP 7
\fBlook [NAME...]\fR
Look at it
.SH "OPTIONS"
.TP 7
\fB\-\-color\fR \fIstring\fR
colour: auto or never (default auto)
.SH "SEE ALSO"
.BR prog\-codes (1),
.BR prog\-completion (1),
.BR prog\-look (1),
.BR prog\-policy (1)
`
	if got := pageOf(t); !strings.HasSuffix(got, want) {
		t.Errorf("the page is\n%s\nwant at its end\n%s", got, want)
	}
}

func TestATopicIsTextAlone(t *testing.T) {
	const want = `.TH "PROG\-CODES" 1 2026-01-02 prog "User Commands"
.ad l
.nh
.SH "NAME"
prog\-codes \- What codes mean
.SH "DESCRIPTION"
Codes:
.PP
.nf
  0  good
.fi
.SH "SEE ALSO"
.BR prog (1)
`
	if got := pageOf(t, "codes"); got != want {
		t.Errorf("the page is\n%s\nwant\n%s", got, want)
	}
}

func TestACommandOfCommandsShowsHowTheyAreTyped(t *testing.T) {
	page := pageOf(t, "policy")
	const want = ".SH \"SYNOPSIS\"\n\\fBprog policy check\\fR\n.br\n\\fBprog policy show [FILE]\\fR\n.SH "
	if !strings.Contains(page, want) {
		t.Errorf("no\n%s\nin\n%s", want, page)
	}
}

func TestACommandOfCommandsNamesTheirPages(t *testing.T) {
	_, names, _ := strings.Cut(pageOf(t, "policy"), ".SH \"SEE ALSO\"\n")
	if want := ".BR prog (1),\n.BR prog\\-policy\\-check (1),\n.BR prog\\-policy\\-show (1),\n.BR prog\\-codes (1)\n"; names != want {
		t.Errorf("it names\n%s\nwant\n%s", names, want)
	}
}

func TestWhatHasAPage(t *testing.T) {
	var names []string
	for _, cmd := range pages(manyCommands()) {
		names = append(names, name(cmd))
	}
	slices.Sort(names)
	if want := []string{"prog", "prog-codes", "prog-completion", "prog-look", "prog-policy", "prog-policy-check", "prog-policy-show"}; !slices.Equal(names, want) {
		t.Errorf("pages %q, want %q", names, want)
	}
}

func TestDescriptionsAreLaidOutForMan(t *testing.T) {
	wide := strings.TrimSpace(strings.Repeat("much ", 15))
	for name, row := range map[string]struct{ text, want string }{
		"prose is filled":                           {"a\nb", "a b\n"},
		"prose that begins with a full stop":        {".claude.json is read", "\\&.claude.json is read\n"},
		"an example stays as it is":                 {"  reaperd   ~/x\n\n  .y", ".nf\n  reaperd   \\(ti/x\n.fi\n.PP\n.nf\n  .y\n.fi\n"},
		"a narrow table stays as it is":             {"Keys\n  a  b", ".nf\nKeys\n  a  b\n.fi\n"},
		"a wide table is a list":                    {"  key   " + wide + "\n        more\n  other   x", ".RS 2\n.PD 0\n.TP 6\n\\fBkey\\fR\n" + wide + " more\n.TP 8\n\\fBother\\fR\nx\n.PD\n.RE\n"},
		"a wide table with a heading":               {"Keys\n  key  " + wide, "Keys\n.RS 2\n.PD 0\n.TP 5\n\\fBkey\\fR\n" + wide + "\n.PD\n.RE\n"},
		"wide terms have their text below":          {"  " + strings.Repeat("k", 30) + "  " + wide, ".RS 2\n.PD 0\n.TP 7\n\\fB" + strings.Repeat("k", 30) + "\\fR\n" + wide + "\n.PD\n.RE\n"},
		"wide indented prose is filled, indented":   {"extends\n  " + wide + "\n  and so on", "extends\n.RS 2\n.PD 0\n" + wide + " and so on\n.PD\n.RE\n"},
		"quotes and hyphens are those of the shell": {"--name 'x' `y` ^z", "\\-\\-name \\(aqx\\(aq \\(gay\\(ga \\(haz\n"},
	} {
		var p roff
		p.description(row.text)
		if got := p.String(); got != row.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, row.want)
		}
	}
}

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/reaperd/reaperd/internal/human"
)

// WriteManual writes reaperd.1, and reaperd-COMMAND.1 for every command and help topic, into a folder.
func WriteManual(root *cobra.Command, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, cmd := range EveryCommand(root) {
		if !hasPage(cmd) {
			continue
		}
		if err := os.WriteFile(filepath.Join(folder, name(cmd)+".1"), []byte(page(cmd)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// hasPage reports whether a command has a page. The scripts of the shells are explained
// by their help, which the page of completion names.
func hasPage(cmd *cobra.Command) bool {
	return !cmd.HasParent() || !cmd.Hidden && cmd.Name() != "help" && cmd.Parent().Name() != "completion"
}

// name is what man calls a command's page: reaperd-policy-check.
func name(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// pageWidth is the number of columns that man takes of a terminal of 80.
const pageWidth = 78

// page is the help of a command as the source that man reads (man(7)): the text is filled, a part of
// the usage is a section.
func page(cmd *cobra.Command) string {
	program := cmd.Root().Name()
	text := fmt.Sprintf(".TH \"%s\" 1 \"\" %s \"User Commands\"\n.ad l\n.nh\n.SH NAME\n%s \\- %s\n.SH DESCRIPTION\n",
		escape(strings.ToUpper(name(cmd))), program, escape(name(cmd)), escape(cmd.Short))
	for paragraph := range strings.SplitSeq(about(cmd), "\n\n") {
		if human.IsLaidOut(paragraph) {
			text += ".PP\n" + verbatim(paragraph)
		} else {
			text += ".PP\n" + escape(strings.Join(strings.Fields(paragraph), " ")) + "\n"
		}
	}
	for part := range strings.SplitSeq(usage(cmd, pageWidth), "\n\n") {
		if title, lines, has := strings.Cut(strings.Trim(part, "\n"), ":\n"); has {
			text += ".SH " + escape(strings.ToUpper(title)) + "\n" + verbatim(lines)
		}
	}
	if cmd.HasParent() {
		text += ".SH SEE ALSO\n.BR " + program + " (1)\n"
	}
	return text
}

// verbatim are lines that man does not fill. It does not indent them either: the help does.
func verbatim(text string) string { return ".in 0\n.nf\n" + escape(text) + "\n.fi\n.in\n" }

// escape makes text that man shows as it is: man reads a backslash, and a full stop in front of a
// line, as a command, and typesets quotes, hyphens, tildes and carets, which are then no longer
// those of a shell.
func escape(text string) string {
	return strings.TrimPrefix(literals.Replace("\n"+text), "\n")
}

var literals = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "~", `\(ti`, "^", `\(ha`, "…", "...", "\n.", "\n\\&.")

package cli

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/reaperd/reaperd/internal/human"
)

// Agrees asks the person at the terminal, unless yes says that nobody has to be asked. Where nobody can
// be, it is an error.
func (t *Terminal) Agrees(ctx context.Context, yes bool, question, otherwise string) (bool, error) {
	if yes {
		return true, nil
	}
	if err := t.Attended(); err != nil {
		return false, err
	}
	return t.Ask(ctx, question, otherwise)
}

// Attended returns an error if nobody is there to ask.
func (t *Terminal) Attended() error {
	if why := t.Unattended(); why != "" {
		return human.Misused("add --yes, or --dry-run to see it only", "nobody is there to ask: %s", why)
	}
	return nil
}

// Ask asks the person at the terminal a question. Only y or yes means yes. After any
// other answer, or none, Ask writes otherwise, which says what was not done. So it does
// after a signal, which ends the wait. What was typed before the question answers something else, and is
// thrown away.
func (t *Terminal) Ask(ctx context.Context, question, otherwise string) (bool, error) {
	if IsTerminal(t.In) {
		discardTyped(int(t.In.(*os.File).Fd()))
	}
	fmt.Fprintln(t.Err)
	fmt.Fprint(t.Err, t.fit(question+" [y/N]")+" ")
	answer := make(chan string, 1)
	go func() { // after a signal this goroutine stays in its read: the program is about to end
		line, _ := bufio.NewReader(t.In).ReadString('\n')
		answer <- line
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(t.Err)
		t.Remark(otherwise)
		return false, ctx.Err()
	case line := <-answer:
		if isYes(line) {
			return ctx.Err() == nil, ctx.Err()
		}
		if !strings.HasSuffix(line, "\n") { // the input ended on the line of the question
			fmt.Fprintln(t.Err)
		}
	}
	t.Remark(otherwise)
	return false, nil
}

func isYes(answer string) bool {
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

package cli

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
)

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

package terminal

import (
	"bufio"
	"context"
	"fmt"
	"strings"
)

// Ask puts a question to whoever sits at the terminal. Only y or yes is a yes;
// every other answer, and none, is a no, and then otherwise says what was not
// done. A signal ends the wait.
func (t *Terminal) Ask(ctx context.Context, question, otherwise string) (bool, error) {
	fmt.Fprintf(t.Err, "\n%s [y/N] ", question)
	answer := make(chan string, 1)
	go func() { // left behind in the read when a signal comes: the program ends then
		line, _ := bufio.NewReader(t.In).ReadString('\n')
		answer <- line
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(t.Err)
		return false, ctx.Err()
	case line := <-answer:
		if isYes(line) {
			return ctx.Err() == nil, ctx.Err()
		}
	}
	t.Remark(otherwise)
	return false, nil
}

func isYes(answer string) bool {
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

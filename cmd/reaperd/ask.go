package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"
)

// ask puts a question to whoever sits at the terminal. Only y or yes is a yes;
// every other answer, and none, is a no, and then otherwise says what was not
// done. A signal ends the wait.
func (s *shared) ask(ctx context.Context, question, otherwise string) (bool, error) {
	fmt.Fprintf(s.err, "\n%s [y/N] ", question)
	answer := make(chan string, 1)
	go func() { // left behind in the read when a signal comes: the program ends then
		line, _ := bufio.NewReader(s.in).ReadString('\n')
		answer <- line
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(s.err)
		return false, ctx.Err()
	case line := <-answer:
		if isYes(line) {
			return ctx.Err() == nil, ctx.Err()
		}
	}
	fmt.Fprintln(s.err, otherwise)
	return false, nil
}

func isYes(answer string) bool {
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

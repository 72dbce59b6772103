package actor

import (
	"bufio"
	"encoding/json"
	"io"
	"sync/atomic"
	"time"
)

// message has the fields of JSON-RPC 2.0 that a ping needs.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      int64           `json:"id"`
	Method  string          `json:"method,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
}

// answer answers every ping until the input ends, or with once only the first.
func answer(in io.Reader, out io.Writer, once bool) {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var ping message
		if json.Unmarshal(lines.Bytes(), &ping) != nil || ping.Method == "" {
			continue
		}
		reply, err := json.Marshal(message{Version: "2.0", ID: ping.ID, Result: json.RawMessage("{}")})
		if err != nil {
			return
		}
		if _, err := out.Write(append(reply, '\n')); err != nil || once {
			return
		}
	}
}

// caller pings the process at the other end of two streams.
type caller struct {
	out     io.Writer
	replies chan int64
	last    atomic.Int64
}

func newCaller(out io.Writer, in io.Reader) *caller {
	made := &caller{out: out, replies: make(chan int64, 16)}
	go func() {
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			var reply message
			if json.Unmarshal(lines.Bytes(), &reply) == nil && reply.Result != nil {
				made.replies <- reply.ID
			}
		}
		close(made.replies)
	}()
	return made
}

// ping asks once, and reports whether an answer came.
func (c *caller) ping(patience time.Duration) bool {
	id := c.last.Add(1)
	text, err := json.Marshal(message{Version: "2.0", ID: id, Method: "ping"})
	if err != nil {
		return false
	}
	if _, err := c.out.Write(append(text, '\n')); err != nil {
		return false
	}
	late := time.After(patience)
	for {
		select {
		case got, open := <-c.replies:
			if !open || got == id {
				return open
			}
		case <-late:
			return false
		}
	}
}

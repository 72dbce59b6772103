package docker

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// maxAnswer is the limit of an engine's answer, in bytes; that about one container
// has some kilobytes. Lists and streams of events are read in parts, and the limit is
// for each part.
const maxAnswer = 1 << 20

// bounded is a transport whose answers fail once they are longer than maxAnswer.
type bounded struct{ *http.Transport }

// RoundTrip is [http.Transport.RoundTrip].
func (b bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := b.Transport.RoundTrip(request)
	if err != nil || response.Body == nil {
		return response, err
	}
	reader := &boundedReader{from: response.Body, most: maxAnswer, what: "the engine's answer"}
	switch {
	case strings.HasSuffix(request.URL.Path, "/containers/json"):
		return response, nil // read in parts by decodeList
	case strings.HasSuffix(request.URL.Path, "/events"):
		reader.what, reader.lines = "an event of the engine", true
	}
	response.Body = boundedBody{reader, response.Body}
	return response, nil
}

type boundedBody struct {
	io.Reader
	io.Closer
}

// boundedReader fails once it has read more than most bytes; with lines set, once a
// line is longer.
type boundedReader struct {
	from  io.Reader
	most  int
	what  string
	lines bool
	read  int
}

func (r *boundedReader) Read(into []byte) (int, error) {
	n, err := r.from.Read(into)
	r.read += n
	if last := bytes.LastIndexByte(into[:n], '\n'); r.lines && last >= 0 {
		r.read = n - last
	}
	if r.read > r.most {
		return n, fmt.Errorf("%s is longer than %d KiB", r.what, r.most>>10)
	}
	return n, err
}

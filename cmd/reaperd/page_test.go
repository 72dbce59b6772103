package main

import (
	"net"
	"strings"
	"testing"
)

func TestAPageOnAPortThatIsTakenNamesAWayOut(t *testing.T) {
	answering(t, shortState(t), running())
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, err := net.SplitHostPort(taken.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	got := command(t, "page", "--port", port)
	if want := "127.0.0.1:" + port; got.code != exitFailed || got.out != "" || !strings.Contains(got.err, want) || !strings.Contains(got.err, "hint: reaperd page ") {
		t.Errorf("%+v", got)
	}
}

package main

import (
	"net"
	"strings"
	"testing"
)

func TestAPageOnAPortThatIsTakenSaysByWhomAndNamesAWayOut(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	address := taken.Addr().String()
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	for listen, who := range map[string]string{"127.0.0.1:1": "another program", address: "the daemon"} {
		is := running()
		is.Listen = listen
		answering(t, shortState(t), is)
		got := command(t, "page", "--port", port)
		if want := address + " is taken: " + who + " listens there"; got.code != exitFailed || got.out != "" || !strings.Contains(got.err, want) || !strings.Contains(got.err, "hint: reaperd page ") {
			t.Errorf("%+v, want %q", got, want)
		}
	}
}

package serve

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestHealthOfAnothersDaemonIsNotOnes(t *testing.T) {
	for _, row := range []struct {
		user string
		own  bool
		well bool
	}{
		{"4711", true, false},
		{"4711", false, true},
		{strconv.Itoa(os.Geteuid()), true, true},
		{"", true, true}, // a daemon that does not say
	} {
		daemon := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set(userHeader, row.user) }))
		_, err := HealthOnPort(t.Context(), strings.TrimPrefix(daemon.URL, "http://"), row.own)
		daemon.Close()
		if (err == nil) != row.well {
			t.Errorf("user %q, own %v: %v", row.user, row.own, err)
		}
	}
}

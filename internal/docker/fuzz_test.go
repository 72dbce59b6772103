package docker

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/events"
)

func FuzzList(f *testing.F) {
	f.Add([]byte(`[{"Id":"ab","Names":["/x"],"Image":"mcp/x","Labels":{"a":"b"},"State":"exited","Status":"Exited (0)","Created":1,"Mounts":[{"Type":"bind","Source":"/a"}]}]`))
	f.Add([]byte(`null`))
	f.Add([]byte(`[{},null,{"Labels":null}]`))
	if recorded, err := os.ReadFile("testdata/engine/list.json"); err == nil {
		f.Add(recorded)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		listed, _ := decodeList(bytes.NewReader(data))
		for _, entry := range listed {
			c := fromList("e", entry)
			isTooLong(&c)
		}
	})
}

func FuzzAnswers(f *testing.F) {
	f.Add([]byte(`{"Id":"ab","Name":"/x","Created":"2026-11-20T10:00:00Z","State":{"Status":"running","Pid":7},"HostConfig":{"AutoRemove":true},"Config":{"Image":"mcp/x","Cmd":["a"],"OpenStdin":true}}`))
	f.Add([]byte(`{"State":null,"Config":null,"HostConfig":null}`))
	f.Add([]byte(`{"Action":"exec_start: /bin/sh","Actor":{"ID":"ab","Attributes":{"a":"b"}},"timeNano":1}`))
	f.Add([]byte(`{"hosts":["unix:///var/run/docker.sock","tcp://0.0.0.0:2375"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var inspected container.InspectResponse
		if json.Unmarshal(data, &inspected) == nil {
			c := fromInspect("e", inspected)
			isTooLong(&c)
		}
		var message events.Message
		if json.Unmarshal(data, &message) == nil {
			fromMessage(message)
		}
		tcpAddress(configuredHosts(data))
	})
}

func FuzzProc(f *testing.F) {
	f.Add("pos:\t0\nflags:\t0100001\n")
	f.Fuzz(func(_ *testing.T, text string) {
		_, _ = parseWritable([]byte(text))
		prettyName(text)
	})
}

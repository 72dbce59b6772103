package doctor

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestDoctorNamesTheKeyThatBringsAMissingRight(t *testing.T) {
	const (
		full     = "Name:\treaperd\nCapPrm:\t000001ffffffffff\nCapEff:\t000001ffffffffff\n"
		sidecar  = "CapEff:\t0000000000080024\n" // KILL, SYS_PTRACE, DAC_READ_SEARCH
		ordinary = "CapEff:\t00000000a80425fb\n" // what Docker gives by default
		none     = "CapEff:\t0000000000000000\n"
	)
	for _, row := range []struct {
		name            string
		uid             int
		status, profile string
		checks          []string
		says            string
	}{
		{"root of a host", 0, full, "unconfined\n", nil, ""},
		{"the sidecar as it is shipped", 0, sidecar, "", nil, ""},
		{"a container as Docker makes it", 0, ordinary, "docker-default (enforce)\n", []string{"right SYS_PTRACE", "right DAC_READ_SEARCH", "AppArmor"}, "cap_add: [SYS_PTRACE]"},
		{"a container without rights", 0, none, "", []string{"right KILL", "right SYS_PTRACE", "right DAC_READ_SEARCH"}, "cap_add: [KILL]"},
		{"a container that may look, but not into other users' directories", 0, "CapEff:\t0000000000080020\n", "", []string{"right DAC_READ_SEARCH"}, "/proc/PID/fd of other users' processes"},
		{"a profile that stands in the way", 0, sidecar, "docker-default (enforce)", []string{"AppArmor"}, "apparmor:unconfined"},
		{"a profile that only complains", 0, sidecar, "mine (complain)\n", nil, ""},
		{"SELinux in its place", 0, sidecar, "system_u:system_r:container_t:s0\n", nil, ""},
		{"a normal user, who never had them", 1000, none, "", nil, ""},
		{"no /proc", 0, "", "", nil, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			files := map[string]string{"/proc/thread-self/status": row.status, "/proc/self/attr/current": row.profile}
			symptoms := rightsSymptoms(inContainer, row.uid, func(name string) ([]byte, error) {
				if text := files[name]; text != "" {
					return []byte(text), nil
				}
				return nil, os.ErrNotExist
			})
			var checks []string
			var all strings.Builder
			for _, s := range symptoms {
				checks = append(checks, s.Check)
				all.WriteString(s.Text + "\n" + s.Remedy + "\n")
			}
			if !slices.Equal(checks, row.checks) || !strings.Contains(all.String(), row.says) {
				t.Errorf("%v\n%s", checks, all.String())
			}
		})
	}
}

func TestDoctorNamesTheKeyThatBringsAMissingNetwork(t *testing.T) {
	const host, container = "net:[4026531840]", "net:[4026532601]"
	for _, row := range []struct {
		name       string
		own, first string // empty: cannot be read
		says       string // empty: nothing
	}{
		{"the host's process table without its network", container, host, "network_mode: host"},
		{"another container's process table without its network", host, container, `network_mode: "service:NAME"`},
		{"a host, or a sidecar as it is shipped", host, host, ""},
		{"a normal user, who may not ask", host, "", ""},
		{"no /proc", "", "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			links := map[string]string{"/proc/self/ns/net": row.own, "/proc/1/ns/net": row.first}
			symptoms := networkSymptoms(func(name string) (string, error) {
				if links[name] == "" {
					return "", os.ErrPermission
				}
				return links[name], nil
			})
			if row.says == "" && len(symptoms) > 0 || row.says != "" && (len(symptoms) != 1 || !strings.Contains(symptoms[0].Remedy, row.says)) {
				t.Errorf("%+v, want one that says %q", symptoms, row.says)
			}
		})
	}
}

package deploy_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// service is as much of a compose service as the tests look at.
type service struct {
	Image       string
	PID         string            `yaml:"pid"`
	NetworkMode string            `yaml:"network_mode"`
	SecurityOpt []string          `yaml:"security_opt"`
	CapDrop     []string          `yaml:"cap_drop"`
	CapAdd      []string          `yaml:"cap_add"`
	ReadOnly    bool              `yaml:"read_only"`
	MemLimit    string            `yaml:"mem_limit"`
	Labels      map[string]string `yaml:"labels"`
	Environment map[string]string `yaml:"environment"`
	Command     []string
	Volumes     []string
	Privileged  bool
}

func services(t *testing.T, file string) map[string]service {
	t.Helper()
	return parse[struct{ Services map[string]service }](t, "compose/"+file).Services
}

// composeFiles are the four ways, with what each sidecar may do and where it stands.
func composeFiles() map[string]service {
	rights := []string{"KILL", "SYS_PTRACE", "DAC_READ_SEARCH"}
	return map[string]service{
		"compose.yaml":              {PID: "host", NetworkMode: "host", CapAdd: rights},
		"compose.socket-proxy.yaml": {PID: "host", NetworkMode: "host", CapAdd: rights},
		"compose.report-only.yaml":  {PID: "host", NetworkMode: "host", CapAdd: rights[1:]},
		"compose.gateway.yaml":      {PID: "service:gateway", NetworkMode: "service:gateway", CapAdd: rights},
	}
}

func TestSidecarsSeeWhatTheyMustAndMayDoNoMore(t *testing.T) {
	for file, want := range composeFiles() {
		t.Run(file, func(t *testing.T) {
			reaperd, there := services(t, file)["reaperd"]
			switch {
			case !there:
				t.Fatal("no service reaperd")
			case reaperd.PID != want.PID || reaperd.NetworkMode != want.NetworkMode:
				t.Errorf("pid %q, network %q", reaperd.PID, reaperd.NetworkMode)
			case !slices.Equal(reaperd.CapDrop, []string{"ALL"}) || !slices.Equal(reaperd.CapAdd, want.CapAdd):
				t.Errorf("capabilities %v of none but %v, want %v", reaperd.CapAdd, reaperd.CapDrop, want.CapAdd)
			case reaperd.Privileged || !reaperd.ReadOnly || reaperd.MemLimit != "64m":
				t.Errorf("privileged %v, read only %v, memory %s", reaperd.Privileged, reaperd.ReadOnly, reaperd.MemLimit)
			}
			for _, option := range []string{"apparmor:unconfined", "no-new-privileges:true"} {
				if !slices.Contains(reaperd.SecurityOpt, option) {
					t.Errorf("no %s", option)
				}
			}
			for _, volume := range reaperd.Volumes {
				if strings.Contains(volume, "policies.yaml") {
					t.Errorf("%s mounts the file, not its folder", volume)
				}
			}
			if behindProxy := strings.Contains(file, "proxy") || strings.Contains(file, "report"); behindProxy &&
				slices.ContainsFunc(reaperd.Volumes, func(v string) bool { return strings.HasPrefix(v, "/var/run/docker.sock") }) {
				t.Error("it has the engine's own socket beside the proxy's")
			}
		})
	}
}

// TestTheProxyLetsThroughWhatIsUsedAndNothingElse applies the expressions of
// the compose files as the proxy does, between ^ and $.
func TestTheProxyLetsThroughWhatIsUsedAndNothingElse(t *testing.T) {
	id := strings.Repeat("0123456789abcdef", 4)
	looks := []string{
		"HEAD /_ping", "GET /_ping", "GET /v1.41/containers/json", "GET /v1.51/containers/" + id + "/json",
		"GET /v1.41/exec/" + id + "/json", "GET /v1.41/events",
	}
	acts := []string{
		"POST /v1.41/containers/" + id + "/stop", "POST /v1.41/containers/" + id + "/kill",
		"POST /v1.41/containers/" + id + "/wait", "DELETE /v1.41/containers/" + id,
	}
	never := []string{
		"GET /v1.41/info", "GET /v1.41/images/json", "GET /v1.41/containers/name/json", "GET /v1.41/containers/" + id + "/logs",
		"GET /v1.41/containers/" + id + "/archive", "GET /v1.41/containers/" + id + "/export", "GET /v1.41/secrets",
		"GET /v1.41/containers/jsonp", "GET /x/v1.41/containers/json", "GET /v1.41/containers/" + id + "/json/../../create",
		"HEAD /v1.41/containers/" + id + "/archive",
		"POST /v1.41/containers/create", "POST /v1.41/containers/" + id + "/start", "POST /v1.41/containers/" + id + "/exec",
		"POST /v1.41/exec/" + id + "/start", "POST /v1.41/containers/" + id + "/attach", "POST /v1.41/containers/name/stop",
		"POST /v1.41/containers/" + id[:12] + "/stop", "POST /v1.41/containers/" + id + "/stop/x", "POST /v1.41/build", "POST /v1.41/containers/prune",
		"DELETE /v1.41/containers/name", "DELETE /v1.41/images/" + id, "DELETE /v1.41/volumes/v",
		"PUT /v1.41/containers/" + id + "/archive", "PATCH /v1.41/containers/" + id,
	}
	for _, row := range []struct {
		file           string
		passes, denied []string
	}{
		{"compose.socket-proxy.yaml", slices.Concat(looks, acts), never},
		{"compose.report-only.yaml", looks, slices.Concat(acts, never)},
	} {
		allowed := allowList(t, services(t, row.file)["docker-proxy"].Command)
		for _, request := range row.passes {
			if !allowed(request) {
				t.Errorf("%s refuses %s", row.file, request)
			}
		}
		for _, request := range row.denied {
			if allowed(request) {
				t.Errorf("%s lets through %s", row.file, request)
			}
		}
	}
}

func allowList(t *testing.T, flags []string) func(request string) bool {
	t.Helper()
	expressions := make(map[string]*regexp.Regexp)
	for _, flag := range flags {
		rest, is := strings.CutPrefix(flag, "-allow")
		if !is {
			continue
		}
		method, expression, _ := strings.Cut(rest, "=")
		expressions[method] = regexp.MustCompile("^" + expression + "$")
	}
	return func(request string) bool {
		method, path, _ := strings.Cut(request, " ")
		expression := expressions[method]
		return expression != nil && expression.MatchString(path)
	}
}

func TestTheProxyIsTrustedAndHasNoNetwork(t *testing.T) {
	for _, file := range []string{"compose.socket-proxy.yaml", "compose.report-only.yaml"} {
		proxy := services(t, file)["docker-proxy"]
		if proxy.Labels["reaperd.proxy"] != "true" || proxy.NetworkMode != "none" || len(proxy.CapAdd) > 0 {
			t.Errorf("%s: %+v", file, proxy)
		}
	}
}

// What makes the kernel signal whom it is told to: commands of fcntl and ioctl,
// of Linux's asm-generic/fcntl.h and sockios.h.
const (
	fSetOwn     = 8
	fSetSig     = 10
	fSetOwnEx   = 15
	fioSetOwn   = 0x8901
	siocSetPgrp = 0x8902
)

// TestReportOnlyLeavesNoCallThatSendsASignal names every call of Linux that does.
func TestReportOnlyLeavesNoCallThatSendsASignal(t *testing.T) {
	var profile struct {
		DefaultAction string
		Syscalls      []struct {
			Names  []string
			Action string
			Args   []struct {
				Index, Value, ValueTwo uint64
				Op                     string
			}
		}
	}
	if err := json.Unmarshal(read(t, "compose/seccomp.report-only.json"), &profile); err != nil {
		t.Fatal(err)
	}
	refused := make(map[string]bool)
	for _, group := range profile.Syscalls {
		for _, name := range group.Names {
			for _, arg := range group.Args {
				name += fmt.Sprintf(" %d %s %d", arg.Index, arg.Op, arg.ValueTwo)
			}
			refused[name] = group.Action == "SCMP_ACT_ERRNO"
		}
	}
	const command = " 1 SCMP_CMP_MASKED_EQ " // whatever the bits above the command's 32 are
	for _, name := range []string{
		"kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal", "ptrace", "process_vm_writev",
		"fcntl" + command + strconv.Itoa(fSetOwn), "fcntl" + command + strconv.Itoa(fSetOwnEx), "fcntl" + command + strconv.Itoa(fSetSig),
		"ioctl" + command + strconv.Itoa(fioSetOwn), "ioctl" + command + strconv.Itoa(siocSetPgrp), "prlimit64 0 SCMP_CMP_NE 0",
	} {
		if !refused[name] {
			t.Errorf("%s passes", name)
		}
	}
	if !slices.Contains(services(t, "compose.report-only.yaml")["reaperd"].SecurityOpt, "seccomp:./seccomp.report-only.json") {
		t.Error("the profile is not used")
	}
}

func TestComposeTakesTheFiles(t *testing.T) {
	slow(t) // a second for each file
	compose := tool(t, "docker-compose", "Debian: docker-compose")
	folder, err := filepath.Abs("compose")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GATEWAY_IMAGE", "gateway")
	for file := range composeFiles() {
		runIn(t, folder, compose, "-f", file, "config", "--quiet")
	}
}

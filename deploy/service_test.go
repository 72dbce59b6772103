package deploy_test

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/deploy"
)

// units are the two units with a program that is there, in a folder each.
func units(t *testing.T) (system, user string) {
	t.Helper()
	const program = "/bin/true"
	folder := t.TempDir()
	system, user = filepath.Join(folder, "system", deploy.UnitName), filepath.Join(folder, "user", deploy.UnitName)
	for file, text := range map[string]string{system: deploy.SystemUnit(program), user: deploy.UserUnit(program)} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return system, user
}

func TestSystemdFindsNoFaultWithTheUnits(t *testing.T) {
	analyze := tool(t, "systemd-analyze", "Debian: systemd")
	system, user := units(t)
	if said := run(t, analyze, "verify", "--man=no", system); strings.Contains(said, deploy.UnitName) {
		t.Error(said)
	}
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	if said := run(t, analyze, "--user", "verify", "--man=no", user); strings.Contains(said, deploy.UnitName) {
		t.Error(said)
	}
}

func TestSystemdFindsTheSystemUnitLittleExposed(t *testing.T) {
	analyze := tool(t, "systemd-analyze", "Debian: systemd")
	system, _ := units(t)
	said := run(t, analyze, "security", "--offline=true", "--no-pager", system)
	found := regexp.MustCompile(`exposure level for \S+: ([0-9.]+)`).FindStringSubmatch(said)
	if found == nil {
		t.Fatalf("no exposure in:\n%s", said)
	}
	if exposure, err := strconv.ParseFloat(found[1], 64); err != nil || exposure >= 4 {
		t.Errorf("exposure %s (%v), want below 4.0", found[1], err)
	}
}

// TestUnitsHaveAReasonForEachLine holds that every setting of [Service] stands
// below a comment, alone or in a paragraph with others.
func TestUnitsHaveAReasonForEachLine(t *testing.T) {
	for _, text := range []string{deploy.SystemUnit("/usr/bin/reaperd"), deploy.UserUnit("/usr/bin/reaperd")} {
		_, service, _ := strings.Cut(text, "[Service]\n")
		service, _, _ = strings.Cut(service, "[Install]")
		for paragraph := range strings.SplitSeq(service, "\n\n") {
			if paragraph = strings.TrimSpace(paragraph); paragraph != "" && !strings.HasPrefix(paragraph, "#") {
				t.Errorf("no reason for:\n%s", paragraph)
			}
		}
	}
}

// TestUnitsAreBackAfterWhateverEndsThem holds the lines that make systemd start it
// again: Go ends with status 2 after a crash and after the watchdog's SIGABRT. A user's
// ends well where the host's daemon takes over, and stays ended.
func TestUnitsAreBackAfterWhateverEndsThem(t *testing.T) {
	for restart, text := range map[string]string{"always": deploy.SystemUnit("/usr/bin/reaperd"), "on-failure": deploy.UserUnit("/usr/bin/reaperd")} {
		lines := strings.Split(text, "\n")
		for _, want := range []string{"Restart=" + restart, "RestartPreventExitStatus=64", "StartLimitIntervalSec=0", "WatchdogSec=2min"} {
			if !slices.Contains(lines, want) {
				t.Errorf("no line %s", want)
			}
		}
	}
}

func TestUnitsRunTheProgramAtAnyPath(t *testing.T) {
	for path, want := range map[string]string{
		"/usr/local/bin/reaperd":     "ExecStart=/usr/local/bin/reaperd run",
		"/opt/100%/reaperd":          "ExecStart=/opt/100%%/reaperd run",
		"/home/a b/reaperd":          `ExecStart="/home/a b/reaperd" run`,
		`/home/"quoted"/bin/reaperd`: `ExecStart="/home/\"quoted\"/bin/reaperd" run`,
	} {
		for _, text := range []string{deploy.SystemUnit(path), deploy.UserUnit(path)} {
			if !slices.Contains(strings.Split(text, "\n"), want) {
				t.Errorf("%s: no line %s", path, want)
			}
		}
	}
}

// TestLaunchdJobsAreWhole reads each plist as launchd does: pairs of key and value.
func TestLaunchdJobsAreWhole(t *testing.T) {
	const binary, home = "/opt/it's <here>/reaperd", "/Users/dev"
	for name, text := range map[string]string{
		"agent":  deploy.LaunchAgent(binary, home),
		"daemon": deploy.LaunchDaemon(binary),
	} {
		t.Run(name, func(t *testing.T) {
			job := plist(t, text)
			if job["Label"] != deploy.Label {
				t.Errorf("label %v", job["Label"])
			}
			if got, want := job["ProgramArguments"], []any{binary, "run"}; !slices.Equal(got.([]any), want) {
				t.Errorf("arguments %v, want %v", got, want)
			}
			kept, _ := job["KeepAlive"].(map[string]any)
			if again, said := kept["SuccessfulExit"]; !said || again != false || len(kept) != 1 || job["RunAtLoad"] != true {
				t.Errorf("it would not be started again after a crash, and after that alone: %v", job)
			}
			for key, value := range job {
				if path, ok := value.(string); ok && strings.Contains(key, "Path") && !filepath.IsAbs(path) {
					t.Errorf("%s is %s", key, path)
				}
			}
			if strings.Contains(text, "NAME") {
				t.Errorf("a placeholder is left:\n%s", text)
			}
		})
	}
}

// plist decodes the one dictionary of a property list, and refuses what
// launchd would.
func plist(t *testing.T, text string) map[string]any {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	var root any
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local != "plist" {
			root = plistValue(t, d, start)
		}
	}
	job, ok := root.(map[string]any)
	if !ok {
		t.Fatalf("no dictionary but %T", root)
	}
	return job
}

func plistValue(t *testing.T, d *xml.Decoder, start xml.StartElement) any {
	t.Helper()
	switch start.Name.Local {
	case "dict":
		values := plistChildren(t, d)
		job := make(map[string]any)
		for i := 0; i+1 < len(values); i += 2 {
			job[string(values[i].(plistKey))] = values[i+1]
		}
		if len(values)%2 != 0 {
			t.Fatal("a key without a value")
		}
		return job
	case "array":
		return plistChildren(t, d)
	case "true", "false":
		if err := d.Skip(); err != nil {
			t.Fatal(err)
		}
		return start.Name.Local == "true"
	}
	var text string
	if err := d.DecodeElement(&text, &start); err != nil {
		t.Fatal(err)
	}
	switch start.Name.Local {
	case "key":
		return plistKey(text)
	case "string":
		return text
	case "integer":
		number, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		return number
	}
	t.Fatalf("unknown element %s", start.Name.Local)
	return nil
}

type plistKey string

func plistChildren(t *testing.T, d *xml.Decoder) []any {
	t.Helper()
	var values []any
	for {
		token, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			values = append(values, plistValue(t, d, token))
		case xml.EndElement:
			return values
		}
	}
}

// TestTheFormulaReplaysWhatItsTestSays does what the formula's own test does,
// since brew is not here to run it: the snapshot, the changes that make a second
// look of it, the arguments, the exit code and what must stand in the report
// are all taken from the formula.
func TestTheFormulaReplaysWhatItsTestSays(t *testing.T) {
	_, formula, _ := strings.Cut(string(read(t, "brew/reaperd.rb")), "\n  test do\n")
	_, rest, found := strings.Cut(formula, "<<~JSON\n")
	first, rest, ended := strings.Cut(rest, "    JSON\n")
	if !found || !ended {
		t.Fatal("no snapshot in the formula")
	}
	second := first
	for _, sub := range regexp.MustCompile(`\.sub\(["'](.*?)["'], ["'](.*?)["']\)`).FindAllStringSubmatch(rest, -1) {
		second = strings.Replace(second, sub[1], sub[2], 1)
	}
	folder := t.TempDir()
	for name, text := range map[string]string{"first.json": first, "second.json": second} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	args, code, expected := formulaCall(t, rest)
	said, exit := replay(t, folder, args)
	if exit != code {
		t.Errorf("it ends with %d, and the formula expects %d:\n%s", exit, code, said)
	}
	for _, text := range expected {
		if !strings.Contains(strings.ReplaceAll(said, " ", ""), text) {
			t.Errorf("the report lacks %s:\n%s", text, said)
		}
	}
}

// formulaCall is how the formula's test calls the program, what it is to end
// with, and what the report must have in it.
func formulaCall(t *testing.T, test string) (args []string, code int, expected []string) {
	t.Helper()
	_, call, _ := strings.Cut(test, "shell_output(")
	call, asserted, _ := strings.Cut(call, ")\n")
	for _, part := range regexp.MustCompile(`"([^"]*)"`).FindAllStringSubmatch(call, -1) {
		args = append(args, strings.Fields(strings.TrimPrefix(part[1], "#{bin}/reaperd"))...)
	}
	code, err := strconv.Atoi(strings.TrimSpace(call[strings.LastIndex(call, ",")+1:]))
	if err != nil || code == 0 {
		t.Fatalf("the formula expects no exit code of %s: %v", call, err)
	}
	for _, text := range regexp.MustCompile(`assert_match ["'](.*?)["'], report`).FindAllStringSubmatch(asserted, -1) {
		expected = append(expected, text[1])
	}
	if len(expected) < 2 {
		t.Fatalf("the formula expects %v of the report", expected)
	}
	return args, code, expected
}

// replay builds the program and runs it in a folder, with nobody's policy but
// its own; it returns the report and the exit code.
func replay(t *testing.T, folder string, args []string) (string, int) {
	t.Helper()
	program := filepath.Join(folder, "reaperd")
	run(t, tool(t, "go", "any system"), "build", "-o", program, "../cmd/reaperd")
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = folder
	cmd.Env = []string{"HOME=" + folder, "REAPERD_STATE_DIR=" + folder}
	report, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(report), cmd.ProcessState.ExitCode()
}

func TestTheFormulaIsRuby(t *testing.T) {
	ruby := tool(t, "ruby", "Debian: ruby")
	run(t, ruby, "-wc", "brew/reaperd.rb")
}

// TestTheUnitLetsThroughWhatTheDaemonCalls runs a scan and a daemon under
// strace, and compares the calls they make with the unit's filter.
func TestTheUnitLetsThroughWhatTheDaemonCalls(t *testing.T) {
	slow(t)
	analyze, strace := tool(t, "systemd-analyze", "Debian: systemd"), tool(t, "strace", "Debian: strace")
	folder := t.TempDir()
	program := filepath.Join(folder, "reaperd")
	run(t, "go", "build", "-o", program, "../cmd/reaperd")
	t.Setenv("XDG_STATE_HOME", folder)
	t.Setenv("XDG_RUNTIME_DIR", folder)
	t.Setenv("REAPERD_STATE_DIR", folder)
	calls := make(map[string]bool)
	for i, args := range [][]string{
		{"60", "scan", "--dry-run"},
		{"10", "run", "--mode", "report", "--listen", "127.0.0.1:0"}, // told to end when it has swept
	} {
		log := filepath.Join(folder, "log"+strconv.Itoa(i))
		run(t, "timeout", append([]string{"--preserve-status", "-s", "TERM", args[0], strace, "-f", "-qq", "-o", log, program}, args[1:]...)...)
		for line := range strings.Lines(string(read(t, log))) {
			if found := regexp.MustCompile(`^\d+ +([a-z0-9_]+)\(`).FindStringSubmatch(line); found != nil {
				calls[found[1]] = true
			}
		}
	}
	if len(calls) < 30 {
		t.Fatalf("only %d calls were seen", len(calls))
	}
	// Acting is not for this test to do; these are what it takes.
	for _, call := range []string{"pidfd_open", "pidfd_send_signal", "pidfd_getfd", "kcmp", "kill", "tgkill"} {
		calls[call] = true
	}
	allowed := filter(t, analyze)
	for _, call := range []string{"ptrace", "mount", "reboot", "setuid", "bpf", "init_module", "swapon"} {
		if allowed[call] {
			t.Errorf("the unit lets %s through", call)
		}
	}
	// The unit gives no right to become somebody: homes are then read with the daemon's
	// own rights (package ownfile).
	for _, call := range []string{"setgroups", "setfsgid", "setfsuid"} {
		delete(calls, call)
	}
	for call := range calls {
		if !allowed[call] {
			t.Errorf("the unit refuses %s", call)
		}
	}
}

// filter expands the unit's SystemCallFilter= lines, in order.
func filter(t *testing.T, analyze string) map[string]bool {
	t.Helper()
	allowed := make(map[string]bool)
	var set func(name string, value bool)
	set = func(name string, value bool) {
		if !strings.HasPrefix(name, "@") {
			allowed[name] = value
			return
		}
		for line := range strings.Lines(run(t, analyze, "syscall-filter", "--no-pager", name)) {
			if entry := strings.TrimSpace(line); strings.HasPrefix(line, " ") && entry != "" && !strings.HasPrefix(entry, "#") {
				set(entry, value)
			}
		}
	}
	set("@default", true) // what systemd adds to every list of its own accord
	for line := range strings.Lines(deploy.SystemUnit("/usr/bin/reaperd")) {
		list, is := strings.CutPrefix(strings.TrimSpace(line), "SystemCallFilter=")
		if !is {
			continue
		}
		list, deny := strings.CutPrefix(list, "~")
		for name := range strings.FieldsSeq(list) {
			set(name, !deny)
		}
	}
	return allowed
}

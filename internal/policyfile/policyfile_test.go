package policyfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/human"
	"github.com/reaperd/reaperd/internal/policy"
)

const valid = "version: 1\nrules: [{name: one, match: {kind: server, finding: orphaned}}]\n"

// write writes a file with its folders, which only this user may write.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestWhichPolicyHolds(t *testing.T) {
	for _, row := range []struct {
		says         string
		user, named  string // what stands in these files; empty: not there
		asked        bool   // the named one is asked for
		want         string // the end of its name
		hint, faulty string // what the hint and the error have
	}{
		{says: "none anywhere", want: policy.Builtin},
		{says: "the user's", user: valid, want: "config/reaperd/policies.yaml"},
		{says: "the named one before the user's", user: valid, named: valid, asked: true, want: "named.yaml"},
		{says: "a named one that is not asked for", named: valid, want: policy.Builtin},
		{says: "the named one is not there: the user's is no answer", user: valid, asked: true, hint: "name a file that is there", faulty: "read policy: "},
		{says: "a user's with faults: the built-in one is no answer", user: "version: 1\nruels: []\n", hint: "reaperd help policy   shows the keys", faulty: "ruels"},
	} {
		t.Run(row.says, func(t *testing.T) {
			folder := t.TempDir()
			t.Setenv("XDG_CONFIG_HOME", filepath.Join(folder, "config"))
			if row.user != "" {
				write(t, filepath.Join(folder, "config/reaperd/policies.yaml"), row.user)
			}
			named := filepath.Join(folder, "named.yaml")
			if row.named != "" {
				write(t, named, row.named)
			}
			if !row.asked {
				named = ""
			}
			p, err := Load(named)
			if row.faulty != "" {
				var advised *human.Error
				if !errors.As(err, &advised) || !advised.Misuse || !strings.Contains(err.Error(), row.faulty) || !strings.Contains(advised.Hint, row.hint) {
					t.Errorf("error %v, advice %+v", err, advised)
				}
				return
			}
			if err != nil || !strings.HasSuffix(p.Sources[0].Name, row.want) {
				t.Errorf("%+v, %v, want %s", p, err, row.want)
			}
		})
	}
}

func TestAFileThatOthersCanWriteIsRefusedWithWhatHelps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policies.yaml")
	write(t, path, valid)
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	before := Fingerprint([]string{path})
	_, err := Load(path)
	var advised *human.Error
	if want := "chmod go-w " + path; !errors.As(err, &advised) || advised.Hint != want || strings.Contains(err.Error(), want) {
		t.Errorf("%v, advice %+v", err, advised)
	}
	if got, want := Texts(err), "read policy: "+path+": others can write it: chmod go-w "+path; len(got) != 1 || got[0] != want {
		t.Errorf("where no hint is shown: %q, want %q", got, want)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err != nil {
		t.Errorf("after chmod: %v", err)
	}
	if Fingerprint([]string{path}) == before {
		t.Error("that the file may be gone by now changes no fingerprint")
	}
}

func TestAFingerprintTellsFilesApart(t *testing.T) {
	folder := t.TempDir()
	one, two := filepath.Join(folder, "one"), filepath.Join(folder, "two")
	write(t, one, "ab")
	write(t, two, "c")
	first := Fingerprint([]string{one, two})
	if first != Fingerprint([]string{one, two}) {
		t.Error("the same files have two fingerprints")
	}
	write(t, one, "a")
	write(t, two, "bc")
	if first == Fingerprint([]string{one, two}) {
		t.Error("text that moved from one file to the other is not seen")
	}
	if err := os.Remove(two); err != nil {
		t.Fatal(err)
	}
	if gone := Fingerprint([]string{one, two}); gone == first || gone == Fingerprint([]string{one}) {
		t.Error("a file that went is not seen")
	}
}

func TestTheShippedPolicyLoads(t *testing.T) {
	if p := Shipped(); len(p.Rules) == 0 || p.Sources[0].Name != policy.Builtin {
		t.Errorf("%+v", p)
	}
}

func TestWhichFileIsRefused(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", folder)
	personal := filepath.Join(folder, "reaperd", "policies.yaml")
	if got := Chosen("/no/such.yaml"); got != "/no/such.yaml" {
		t.Errorf("a named one that is not there: %q", got)
	}
	if got := Chosen(""); got == personal {
		t.Errorf("the user's, which is not there: %q", got)
	}
	write(t, personal, "version: 1\nruels: []\n")
	if got := Chosen(""); got != personal {
		t.Errorf("the user's: %q, want %q", got, personal)
	}
	if got, want := policy.CheckCommand(personal), "reaperd policy check "+personal; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestARuleThatEndsWhatLiveSessionsUseIsTold: the rule takes it in, and no guard keeps what a session uses.
func TestARuleThatEndsWhatLiveSessionsUseIsTold(t *testing.T) {
	const used = `note: rule "all" also stops what live sessions use: it takes in what has no finding`
	for rule, want := range map[string]string{
		"match: {kind: server, finding: any}, action: terminate":                                 used,
		"match: {kind: [gateway, container], finding: [orphaned, none]}, action: terminate":      used,
		"match: {finding: any, older_than: 1d}, action: terminate":                               used,
		"match: {kind: [server, gateway], finding: none}, action: terminate":                     used,
		"match: {server: mcp-x, finding: any}, max_per_owner: 8, action: terminate":              used,
		"match: {kind: server, finding: duplicate}, action: terminate":                           `note: rule "all" also stops servers that live sessions hold: a client may use its oldest copy, and may not start it again`,
		"match: {kind: server, finding: duplicate}, action: report":                              "",
		"match: {kind: server, finding: any}, action: report":                                    "",
		"match: {kind: server, finding: [orphaned, disconnected]}, action: terminate":            "",
		"match: {kind: server, memory_over: 1GiB}, action: terminate":                            "",
		"match: {kind: session, finding: any, idle_for: 1h}, action: terminate":                  "",
		"match: {kind: session, finding: none}, action: terminate":                               `note: rule "all" does nothing: a session at work is never ended`,
		"match: {kind: [session, container], finding: any}, action: terminate":                   used,
		`match: {kind: container, finding: any, label: {com.example.test: "*"}}, action: remove`: used,
		`match: {label: {com.example.test: "*"}, finding: any, older_than: 6h}, action: remove`:  used,
	} {
		file := policy.File{Name: "p.yaml", Data: []byte("version: 1\nextends: builtin\nrules: [{name: all, " + rule + "}]\n")}
		p, err := policy.Load(file, builtin())
		if err != nil {
			t.Fatalf("%s: %v", rule, err)
		}
		if got := strings.Join(Notes(p), "\n"); got != want {
			t.Errorf("%s: told %q, want %q", rule, got, want)
		}
	}
	if notes := Notes(Shipped()); len(notes) > 0 {
		t.Errorf("the shipped policy: %q", notes)
	}
}

// TestALinkThatLeadsNowhereIsNotTheBuiltInPolicy: its author wrote a policy, and another one would act in
// its place.
func TestALinkThatLeadsNowhereIsNotTheBuiltInPolicy(t *testing.T) {
	for _, row := range []struct {
		world, link string // the link, below the folder of configurations
		gone        string // where it leads
		faulty      string
	}{
		{"the file", "reaperd/policies.yaml", "dotfiles/policies.yaml", "reaperd/policies.yaml is a link that leads nowhere"},
		{"its folder", "reaperd", "dotfiles/reaperd", "reaperd is a link that leads nowhere"},
	} {
		t.Run(row.world, func(t *testing.T) {
			config := t.TempDir()
			t.Setenv("XDG_CONFIG_HOME", config)
			personal, link := Personal(config), filepath.Join(config, row.link)
			none := Fingerprint([]string{personal})
			if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(row.gone, link); err != nil {
				t.Fatal(err)
			}
			_, err := Load("")
			var advised *human.Error
			if !errors.As(err, &advised) || !advised.Misuse || !strings.Contains(err.Error(), row.faulty) || advised.Hint != "mend that link, or remove it: rm "+link {
				t.Errorf("error %v, advice %+v", err, advised)
			}
			if _, err := LoadFor(config); err == nil {
				t.Error("a service takes the built-in policy")
			}
			if got := Chosen(""); got != personal {
				t.Errorf("%q is said to be refused, want %q", got, personal)
			}
			if Fingerprint([]string{personal}) == none {
				t.Error("a daemon does not see the link come")
			}
			write(t, filepath.Join(filepath.Dir(link), row.gone, strings.TrimPrefix("reaperd/policies.yaml", row.link)), valid)
			if p, err := Load(""); err != nil || p.Sources[0].Name != personal {
				t.Errorf("a link that leads to a policy: %+v, %v", p, err)
			}
		})
	}
}

func TestAFileIsToldThatIsNotReadForItsName(t *testing.T) {
	for _, row := range []struct {
		world string
		files []string
		want  string
	}{
		{"none is there", nil, ""},
		{"the user's with the other ending", []string{"own.yml"}, "own.yml"},
		{"beside the host's, which holds", []string{"own.yml", "system.yaml"}, "own.yml"},
		{"beside one that is read", []string{"own.yaml", "own.yml"}, ""},
		{"the host's, which is not looked for", []string{"own.yaml", "system.yml"}, ""},
		{"the host's", []string{"system.yml"}, "system.yml"},
	} {
		folder := t.TempDir()
		for _, file := range row.files {
			write(t, filepath.Join(folder, file), valid)
		}
		got := misnamed([]string{filepath.Join(folder, "own.yaml"), filepath.Join(folder, "system.yaml")})
		if strings.TrimPrefix(got, folder+"/") != row.want {
			t.Errorf("%s: got %q, want %q", row.world, got, row.want)
		}
	}
}

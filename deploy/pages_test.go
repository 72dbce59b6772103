package deploy_test

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reaperd/reaperd"
	"github.com/reaperd/reaperd/internal/graph"
	"github.com/reaperd/reaperd/internal/inventory"
	"github.com/reaperd/reaperd/internal/policy"
)

// load is a policy as the program would read it.
func load(t *testing.T, name string, text []byte) *policy.Policy {
	t.Helper()
	builtin := policy.File{Name: policy.Builtin, Data: reaperd.DefaultPolicy()}
	loaded, err := policy.Load(policy.File{Name: name, Data: text}, builtin)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return loaded
}

// TestThePoliciesThatAreShippedHold holds every policy file here to the program
// that reads it, and that none of them turns the built-in rules off.
func TestThePoliciesThatAreShippedHold(t *testing.T) {
	for _, name := range []string{
		"packages/policies.yaml", "compose/policy/policies.yaml", "compose/policy-gateway/policies.yaml",
		"kubernetes/base/policies.yaml", "kubernetes/agent-pod/policies.yaml",
	} {
		if p := load(t, name, read(t, name)); len(p.Rules) < 10 || p.Mode != policy.ModeEnforce {
			t.Errorf("%s: %d rules, mode %s", name, len(p.Rules), p.Mode)
		}
	}
}

// TestTheOverlayOfThePackagesChangesNothing holds that an installed package
// behaves as the program does, now and after its next upgrade.
func TestTheOverlayOfThePackagesChangesNothing(t *testing.T) {
	overlaid := load(t, "overlay", read(t, "packages/policies.yaml"))
	builtin := load(t, "builtin", reaperd.DefaultPolicy())
	if len(overlaid.Rules) != len(builtin.Rules) || overlaid.Mode != builtin.Mode {
		t.Errorf("%d rules, mode %s; built in are %d, mode %s", len(overlaid.Rules), overlaid.Mode, len(builtin.Rules), builtin.Mode)
	}
}

// TestThePoliciesOfThePageHold holds that what the page tells people to write
// can be read.
func TestThePoliciesOfThePageHold(t *testing.T) {
	page := string(read(t, "migrating-from-cron.md"))
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(page, -1)
	if len(blocks) < 11 {
		t.Fatalf("%d policies on the page", len(blocks))
	}
	for _, block := range blocks {
		load(t, strings.TrimSpace(strings.ReplaceAll(block[1], "\n", " ")), []byte(block[1]))
	}
}

// installLines are the commands of the README's section on installing.
func installLines(t *testing.T) string {
	t.Helper()
	_, section, _ := strings.Cut(string(read(t, "../README.md")), "\n## Install\n")
	_, section, _ = strings.Cut(section, "```sh\n")
	section, _, found := strings.Cut(section, "```\n")
	if !found {
		t.Fatal("the README has no section on installing")
	}
	return section
}

// TestInstallingFromTheSourcesNeedsNoGoOfRoot asks make what root would run.
func TestInstallingFromTheSourcesNeedsNoGoOfRoot(t *testing.T) {
	const line = "make pages && sudo make -o build -o pages install "
	if !strings.Contains(installLines(t), line) {
		t.Fatalf("no line %q", line)
	}
	said := wouldRun(t, "-o", "build", "-o", "pages", "install", "GO=the-compiler")
	if strings.Contains(said, "the-compiler") || !strings.Contains(said, `install -m 755 bin/reaperd "/usr/local/bin/reaperd"`) {
		t.Errorf("root would run\n%s", said)
	}
	if said := wouldRun(t, "build", "GO=the-compiler"); !strings.Contains(said, "-o bin/reaperd ") {
		t.Errorf("the program is built elsewhere:\n%s", said)
	}
}

// TestThePagesInstallThePackagesThatMakeDistBuilds holds the file names of the
// pages to the folder and the name that the packages are given.
func TestThePagesInstallThePackagesThatMakeDistBuilds(t *testing.T) {
	folder, found := strings.CutPrefix(wouldRun(t, "dist", "GO=go"), `GO="go" deploy/packages/build.sh `)
	if !found {
		t.Fatalf("make dist runs %s", folder)
	}
	folder = strings.TrimSpace(folder)
	name := parse[struct{ Name string }](t, "packages/nfpm.yaml").Name
	built := []string{folder + "/" + name + "_0.1.0_amd64.deb", folder + "/" + name + "-0.1.0-1.x86_64.rpm"}
	named := regexp.MustCompile(`(?:apt|dnf) install (\S+\.(?:deb|rpm))`)
	for page, least := range map[string]int{"README.md": 1, "packages/README.md": 2} {
		lines := named.FindAllStringSubmatch(string(read(t, page)), -1)
		if len(lines) < least {
			t.Errorf("%s installs %d packages, want %d", page, len(lines), least)
		}
		for _, line := range lines {
			pattern, relative := strings.CutPrefix(line[1], "./") // else apt looks for a name
			if !relative || !slices.ContainsFunc(built, func(file string) bool { ok, _ := path.Match(pattern, file); return ok }) {
				t.Errorf("%s installs %s, and make dist builds %v", page, line[1], built)
			}
		}
	}
}

// TestTheSidecarOfThePagesIsTheImageThatMakeBuilds holds that what is built is
// what is started, whatever a compose file takes of its own accord.
func TestTheSidecarOfThePagesIsTheImageThatMakeBuilds(t *testing.T) {
	said := wouldRun(t, "image")
	image := regexp.MustCompile(`deploy/image/build\.sh "(.*)"`).FindStringSubmatch(said)
	if image == nil {
		t.Fatalf("make image runs %s", said)
	}
	variable := regexp.MustCompile(`^\$\{([A-Z_]+):-`).FindStringSubmatch(services(t, "compose.yaml")["reaperd"].Image)
	if variable == nil {
		t.Fatal("no variable names the image of compose.yaml")
	}
	line := "make image && " + variable[1] + "=" + image[1] + " docker compose -f deploy/compose/compose.yaml up -d"
	for _, page := range []string{"../README.md", "README.md"} {
		if !strings.Contains(string(read(t, page)), line) {
			t.Errorf("%s has no line %s", page, line)
		}
	}
}

// TestThePagesInstallTheFormulaThatIsThere holds that a formula without a
// release is asked for its main branch, and in its tap.
func TestThePagesInstallTheFormulaThatIsThere(t *testing.T) {
	want := "brew install reaperd/tap/reaperd"
	if !regexp.MustCompile(`(?m)^  url "`).Match(read(t, "brew/reaperd.rb")) {
		want = "brew install --HEAD reaperd/tap/reaperd"
	}
	for _, page := range []string{"README.md", "brew/README.md"} {
		text := string(read(t, page))
		if count := strings.Count(text, "brew install"); count == 0 || count != strings.Count(text, want) {
			t.Errorf("%s does not say %s wherever it installs the formula", page, want)
		}
	}
}

// TestEveryFileSaysWhatItNeedsDACReadSearchFor holds that whoever takes the
// right away is told that orphans will be kept.
func TestEveryFileSaysWhatItNeedsDACReadSearchFor(t *testing.T) {
	for _, file := range []string{"systemd/system/reaperd.service", "compose/compose.yaml", "kubernetes/base/daemonset.yaml"} {
		text := strings.Join(strings.Fields(strings.ReplaceAll(string(read(t, file)), "#", " ")), " ")
		_, reason, _ := strings.Cut(text, "DAC_READ_SEARCH to ")
		for _, part := range []string{"open /proc/PID/fd of other users' processes", "orphans are kept", "homes of mode 0700"} {
			if !strings.Contains(reason, part) {
				t.Errorf("%s: the reason lacks %q", file, part)
			}
		}
	}
}

// TestGlobsOnThePagesAreQuoted holds that no shell takes a name for files.
func TestGlobsOnThePagesAreQuoted(t *testing.T) {
	glob := regexp.MustCompile(`(?m)^ *(?:sudo )?reaperd [a-z]+ .*$`)
	for _, page := range []string{"../README.md", "migrating-from-cron.md", "packages/README.md", "compose/README.md"} {
		for _, line := range glob.FindAllString(string(read(t, page)), -1) {
			if bare := regexp.MustCompile(`'[^']*'`).ReplaceAllString(line, ""); strings.Contains(bare, "*") {
				t.Errorf("%s: %s", page, strings.TrimSpace(line))
			}
		}
	}
}

// TestTestContainersOfThePageAreThoseOfTheScript holds that the page's globs
// name what the script's filters do, which are about a part of a name.
func TestTestContainersOfThePageAreThoseOfTheScript(t *testing.T) {
	page := string(read(t, "migrating-from-cron.md"))
	_, section, _ := strings.Cut(page, "## Leftovers of test runs\n")
	_, text, _ := strings.Cut(section, "```yaml\n")
	text, _, _ = strings.Cut(text, "```")
	p := load(t, "page", []byte(text))
	for name, want := range map[string]string{
		"claude-mcp-test": "test-containers", "old-claude-mcp-test-7": "test-containers",
		"dollhouse-mcp-test": "test-containers", "my_dollhouse_test_1": "test-containers",
		"dollhouse-mcp": "",
	} {
		container := &graph.Target{
			ID: name, Kind: graph.KindContainer, Finding: graph.FindingNone, Age: 3 * time.Hour, Looks: 9, Held: time.Hour,
			Container: &inventory.Container{ID: name, Name: "/" + name, State: "running"},
		}
		if verdict := policy.Judge(&graph.Graph{Targets: []*graph.Target{container}}, p, policy.JudgeOptions{})[0]; verdict.Rule != want {
			t.Errorf("the container %s is for the rule %q, want %q", name, verdict.Rule, want)
		}
	}
}

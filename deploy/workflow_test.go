package deploy_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// workflow is as much of a GitHub Actions workflow as is checked here.
type workflow struct {
	Permissions map[string]string `yaml:"permissions"`
	Jobs        map[string]struct {
		RunsOn   string `yaml:"runs-on"`
		Timeout  int    `yaml:"timeout-minutes"`
		Strategy struct {
			Matrix struct {
				Include []map[string]string `yaml:"include"`
				Runner  []string            `yaml:"runner"`
			} `yaml:"matrix"`
		} `yaml:"strategy"`
		Steps []struct {
			Uses string `yaml:"uses"`
			Run  string `yaml:"run"`
		} `yaml:"steps"`
	} `yaml:"jobs"`
}

// TestTheWorkflowRunsWhatIsThere holds that the workflow runs on each system, may
// only read, and calls targets and commands that there are.
func TestTheWorkflowRunsWhatIsThere(t *testing.T) {
	flow := parse[workflow](t, "../.github/workflows/ci.yml")
	if len(flow.Permissions) != 1 || flow.Permissions["contents"] != "read" {
		t.Errorf("it may do %v", flow.Permissions)
	}
	var runners []string
	var said strings.Builder
	for name, job := range flow.Jobs {
		runners = append(runners, job.Strategy.Matrix.Runner...)
		for _, one := range job.Strategy.Matrix.Include {
			runners = append(runners, one["runner"])
		}
		if job.Timeout == 0 {
			t.Errorf("job %s has no limit", name)
		}
		for _, step := range job.Steps {
			said.WriteString(step.Run + "\n")
		}
	}
	for _, runner := range []string{"macos-14", "macos-14-large", "macos-15", "macos-15-intel", "ubuntu-24.04", "ubuntu-24.04-arm"} {
		if !slices.Contains(runners, runner) {
			t.Errorf("nothing runs on %s: %v", runner, runners)
		}
	}
	for _, command := range []string{"make test", "bin/reaperd doctor --self-test", "brew test --HEAD"} {
		if !strings.Contains(said.String(), command) {
			t.Errorf("nothing runs %s", command)
		}
	}
	for _, target := range regexp.MustCompile(`\bmake ([a-z-]+)`).FindAllStringSubmatch(said.String(), -1) {
		if wouldRun(t, target[1]) == "" {
			t.Errorf("make %s does nothing", target[1])
		}
	}
}

// TestTheWorkflowFindsItsPlaceInTheFormula holds that the line which the workflow
// replaces, to build what was checked out, stands in the formula.
func TestTheWorkflowFindsItsPlaceInTheFormula(t *testing.T) {
	const line = `https://github.com/reaperd/reaperd.git", branch: "main"`
	if !strings.Contains(string(read(t, "brew/reaperd.rb")), line) {
		t.Errorf("the formula does not have %s", line)
	}
	if escaped := strings.ReplaceAll(line, `"`, `\"`); !strings.Contains(string(read(t, "../.github/workflows/ci.yml")), escaped) {
		t.Errorf("the workflow does not replace %s", escaped)
	}
}

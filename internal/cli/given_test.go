package cli

import (
	"testing"

	"github.com/spf13/pflag"
)

func TestOnlyWhatAPersonTypedWasGiven(t *testing.T) {
	flags := pflag.NewFlagSet("sweep", pflag.ContinueOnError)
	flags.String("mode", "", "")
	flags.String("policies", "", "")
	flags.Duration("settle", 10, "")
	flags.Bool("now", false, "")
	flags.Bool("yes", false, "")
	if err := flags.Parse([]string{"--mode", "enforce", "--now", "--yes=false"}); err != nil {
		t.Fatal(err)
	}
	if err := FromEnvironment(flags, func(name string) (string, bool) { return "/p.yaml", name == "REAPERD_POLICIES" }); err != nil {
		t.Fatal(err)
	}
	given := Given{flags}
	for name, want := range map[string]string{"mode": "enforce", "policies": "", "settle": "", "no-such": ""} {
		if got := given.Text(name); got != want {
			t.Errorf("--%s %q, want %q", name, got, want)
		}
	}
	if !given.Switch("now") || given.Switch("yes") || given.Switch("no-such") {
		t.Error("--now was given, and --yes=false")
	}
}

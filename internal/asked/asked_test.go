package asked

import "testing"

func TestACommandKeepsWhatWasAsked(t *testing.T) {
	all := Look{
		Policies: "/srv/my policies.yaml", Mode: "enforce", Rules: []string{"duplicates", "orphaned-servers"}, Duplicates: true, IdleOver: "8h", Now: true,
		Settle: "2m", Journal: "/j", Output: "json", Yes: true, Names: []string{"git*", "57"},
	}
	for _, row := range []struct {
		name, got, want string
	}{
		{"nothing was asked", Look{}.Sweep(), "reaperd sweep"},
		{"everything was", all.Sweep(), "reaperd sweep --mode enforce --policies '/srv/my policies.yaml' --duplicates --idle-over 8h --now --rule duplicates --rule orphaned-servers --settle 2m --journal /j -o json --yes 'git*' 57"},
		{"the plan alone", Look{Duplicates: true, DryRun: true}.Sweep(), "reaperd sweep --duplicates --dry-run"},
		{"a name that looks like a flag", Look{Now: true, Names: []string{"-x"}}.Sweep(), "reaperd sweep --now -- -x"},
		{"a scan has no switches", all.Scan(), "reaperd scan -o json --policies '/srv/my policies.yaml' --settle 2m 'git*' 57"},
		{"a daemon by the same policy, which no service has", all.Run("reaperd install"), "reaperd run --policies '/srv/my policies.yaml'"},
		{"a daemon by the policy in force", Look{Now: true}.Run("reaperd install"), "reaperd install"},
		{"one thing of many", all.Explain("57"), "reaperd explain --policies '/srv/my policies.yaml' 57"},
	} {
		if row.got != row.want {
			t.Errorf("%s:\n%s, want\n%s", row.name, row.got, row.want)
		}
	}
}

package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reaperd/reaperd/internal/state"
	"github.com/reaperd/reaperd/test/nobody"
)

// TestAStateDirectoryOfRootsAtHomeIsNoDaemonThatIsSilent: a sudo that kept HOME has made it.
func TestAStateDirectoryOfRootsAtHomeIsNoDaemonThatIsSilent(t *testing.T) {
	home := nobody.Folder(t)
	t.Setenv("HOME", home)
	dir := state.Dir(filepath.Join(home, "state"))
	if err := os.Mkdir(string(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	nobody.Runs(t, func() {
		got := deciderHere(t.Context(), dir).symptoms(dir, own{})
		if len(got) == 0 || got[0].Check != "state" || got[0].State != stateFault || !strings.Contains(got[0].Text, "belongs to root") || !strings.HasPrefix(got[0].Remedy, "sudo chown -R ") {
			t.Errorf("%+v", got)
		}
	})
}

func TestTheRemedyOfAJournalIsTheCommandThatOpensIt(t *testing.T) {
	path := filepath.Join(nobody.Folder(t), "journal.jsonl")
	if err := os.WriteFile(path, nil, 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, nobody.UID, nobody.UID); err != nil && os.Geteuid() == 0 {
		t.Fatal(err)
	}
	nobody.Runs(t, func() {
		got := journalSymptom(path)
		if got.State != stateFault || !strings.Contains(got.Text, path) || got.Remedy != "chmod u+rwX "+path {
			t.Errorf("%+v", got)
		}
	})
}

// TestAStateDirectoryThatTakesNoFileIsAFault: it can be asked whether a daemon runs, and nothing pinned.
func TestAStateDirectoryThatTakesNoFileIsAFault(t *testing.T) {
	home := nobody.Folder(t)
	t.Setenv("HOME", home)
	dir := state.Dir(filepath.Join(home, "state"))
	if err := os.Mkdir(string(dir), 0o500); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(string(dir), nobody.UID, nobody.UID); err != nil && os.Geteuid() == 0 {
		t.Fatal(err)
	}
	nobody.Runs(t, func() {
		got := deciderHere(t.Context(), dir).symptoms(dir, own{})
		if len(got) != 2 || got[0].Check != "state" || got[0].State != stateFault || got[0].Remedy != "chmod u+rwX "+string(dir) || got[1].Check != "daemon" {
			t.Errorf("%+v", got)
		}
	})
}

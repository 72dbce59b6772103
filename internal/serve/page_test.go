package serve

import (
	"regexp"
	"strings"
	"testing"
)

func pageText(t *testing.T, name string) string {
	t.Helper()
	file, err := pageFiles.ReadFile("page/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(file)
}

// TestThePolicyLetsInThePagesOwnStyleAndScriptOnly, and the page has nothing in it that the policy would keep out.
func TestThePolicyLetsInThePagesOwnStyleAndScriptOnly(t *testing.T) {
	for _, part := range strings.Split(pagePolicy, "; ") {
		name, allows, _ := strings.Cut(part, " ")
		if allows != "'none'" && allows != "'self'" && part != "img-src data:" {
			t.Errorf("%s allows %s", name, allows)
		}
	}
	inline := regexp.MustCompile(`(?i)<style|\sstyle=|\son[a-z]+=|<script(?:>| [^>]*>[^<])|javascript:|https?://`)
	if found := inline.FindString(pageText(t, "index.html")); found != "" {
		t.Errorf("the page has %q", found)
	}
}

// TestWhatOthersNameThemselvesIsText: the script uses nothing that reads markup or code. Package test/page tries it
// in a browser.
func TestWhatOthersNameThemselvesIsText(t *testing.T) {
	reads := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|DOMParser|createContextualFragment|document\.write|srcdoc|eval\(|Function\(|import\(`)
	if found := reads.FindString(pageText(t, "page.js")); found != "" {
		t.Errorf("the script uses %s", found)
	}
}

// TestThePageGivesNoOrders: it only reads.
func TestThePageGivesNoOrders(t *testing.T) {
	if found := regexp.MustCompile(`method:|sendBeacon|XMLHttpRequest|v1/(?:act|pin|unpin|pause|resume|plan)\b`).FindString(pageText(t, "page.js")); found != "" {
		t.Errorf("the script has %s", found)
	}
}

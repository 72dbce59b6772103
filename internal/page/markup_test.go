package page

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestALinkLeadsToItsThing(t *testing.T) {
	for _, key := range []string{"server:51:1", "a b", "a+b", "a&key=b", "a#b", `"'<>`, "a%20b", "é"} {
		n := server(51)
		n.Key = key
		root, err := html.Parse(strings.NewReader(whole(t, Input{Tree: tree(leaked(gone(50, n)))})))
		if err != nil {
			t.Fatal(err)
		}
		if keys := linkedKeys(t, root); len(keys) == 0 || keys[len(keys)-1] != key {
			t.Errorf("the links lead to %q, want %q", keys, key)
		}
	}
}

// linkedKeys are the keys of the things to which a document has links.
func linkedKeys(t *testing.T, root *html.Node) []string {
	t.Helper()
	var keys []string
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			if a.Key != "href" || !strings.HasPrefix(a.Val, "thing?") {
				continue
			}
			address, err := url.Parse(a.Val)
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, address.Query().Get("key"))
		}
	}
	return keys
}

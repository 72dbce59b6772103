package cmdline

import "testing"

const (
	digest  = "sha256:0000000000000000000000000000000000000000000000000000000000000001"
	another = "sha256:0000000000000000000000000000000000000000000000000000000000000002"
)

func TestImagesCompared(t *testing.T) {
	type verdict string
	const (
		same, different, unknown verdict = "same", "different", "neither"
	)
	rows := []struct {
		name string
		a, b string
		want verdict
	}{
		{"a short name and its full one", "alpine", "docker.io/library/alpine:latest", same},
		{"a name and its latest", "mcp/fetch", "mcp/fetch:latest", same},
		{"Docker's old registry name", "index.docker.io/mcp/fetch", "mcp/fetch", same},
		{"another tag", "mcp/fetch:1", "mcp/fetch:2", different},
		{"another repository", "mcp/fetch", "mcp/time", different},
		{"another registry", "ghcr.io/x/y", "quay.io/x/y", different},
		{"a registry with a port", "localhost:5000/x", "localhost:5000/x:latest", same},
		{"the same digest", "x@" + digest, "docker.io/library/x@" + digest, same},
		{"the same digest under a tag", "x:1@" + digest, "x@" + digest, same},
		{"another digest", "x@" + digest, "x@" + another, different},
		{"a tag may stand for any digest", "x:1", "x@" + digest, unknown},
		{"an image id may be any image", "mcp/fetch", digest, unknown},
		{"a short image id may be any image", "mcp/fetch", "0123456789ab", unknown},
		{"an image id and itself", digest, digest, same},
		{"two image ids", digest, another, unknown},
		{"podman finds a short name anywhere", "demo/x", "localhost/demo/x:latest", unknown},
		{"podman finds a shortest name anywhere", "fetch", "quay.io/mcp/fetch", unknown},
		{"podman cannot have found another name", "demo/x", "localhost/demo/y", different},
		{"podman's transport", "docker://mcp/fetch", "mcp/fetch", same},
		{"no reference at all", "oci-archive:/x.tar", "mcp/fetch", unknown},
		{"no reference at all, twice", "Not:A:Ref", "Not:A:Ref", same},
		{"nothing known", "", "", unknown},
		{"one of them not known", "", "mcp/fetch", unknown},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			for _, pair := range [][2]string{{row.a, row.b}, {row.b, row.a}} {
				got := unknown
				a, b := NormalImage(pair[0]), NormalImage(pair[1])
				if a.Key() == b.Key() && a.Key() != "" {
					got = same
				}
				if a.Differs(b) {
					if got == same {
						t.Fatalf("%q and %q are the same and different", pair[0], pair[1])
					}
					got = different
				}
				if got != row.want {
					t.Errorf("%q and %q: %s, want %s", pair[0], pair[1], got, row.want)
				}
			}
		})
	}
}

func TestImageBase(t *testing.T) {
	rows := map[string]string{
		"mcp/fetch": "fetch",
		"ghcr.io/github/github-mcp-server@" + digest: "github-mcp-server",
		"ghcr.io/enuno/unifi-mcp-server:latest":      "unifi-mcp-server",
		"localhost:5000/x":                           "x",
		"localhost:5000/x:1@" + digest:               "x",
		"alpine":                                     "alpine",
		"":                                           "",
		digest:                                       "000000000000",
		"demo/gomcp:gw-short-load-kill9":             "gomcp",
		"ghcr.io/github/github-mcp-server@sha256:5049": "github-mcp-server",
	}
	for ref, want := range rows {
		if got := ImageBase(ref); got != want {
			t.Errorf("ImageBase(%q) = %q, want %q", ref, got, want)
		}
	}
}

package cmdline

import (
	"strings"

	"github.com/distribution/reference"
)

// Image is a parsed image reference. The zero value is the result for an image id and for
// text that is no reference: neither can be compared.
type Image struct {
	// Repository is the full name with its registry: docker.io/library/alpine.
	Repository string
	// Tag is latest if the reference has neither tag nor digest, and empty if it has
	// a digest only.
	Tag    string
	Digest string

	// short marks a name without a registry: podman may find it in any registry.
	short bool
}

// Comparable reports whether the reference names an image in a way that can be
// compared.
func (i Image) Comparable() bool { return i.Repository != "" }

// NormalImage parses a reference. docker.io/library/x, x and x:latest are equal. An
// image id ("sha256:…", or 12 to 64 hexadecimal digits) cannot be compared: only the
// engine knows its name.
func NormalImage(ref string) Image {
	ref = strings.TrimPrefix(ref, "docker://")
	if isImageID(ref) {
		return Image{}
	}
	named, err := reference.ParseNormalizedNamed(ref)
	if err != nil {
		return Image{}
	}
	image := Image{Repository: named.Name(), short: !strings.HasPrefix(ref, reference.Domain(named)+"/")}
	if tagged, ok := named.(reference.Tagged); ok {
		image.Tag = tagged.Tag()
	}
	if digested, ok := named.(reference.Digested); ok {
		image.Digest = digested.Digest().String()
	}
	if image.Tag == "" && image.Digest == "" {
		image.Tag = "latest"
	}
	return image
}

// isImageID reports whether ref is, or could be, an image id.
func isImageID(ref string) bool {
	digits := strings.TrimPrefix(ref, "sha256:")
	if len(digits) < 12 || len(digits) > 64 {
		return false
	}
	return strings.Trim(digits, "0123456789abcdef") == ""
}

// SameImage reports whether two references are known to name the same image.
// False says nothing about whether they differ: see [DifferentImage].
func SameImage(a, b string) bool {
	if a == b {
		return a != ""
	}
	x, y := NormalImage(a), NormalImage(b)
	if !x.Comparable() || x.Repository != y.Repository {
		return false
	}
	if x.Digest != "" || y.Digest != "" {
		return x.Digest == y.Digest
	}
	return x.Tag == y.Tag
}

// DifferentImage reports that two references are known to name different images. An
// image id may name any image, a tag any digest, and a name without a registry may
// come from any.
func DifferentImage(a, b string) bool {
	if a == b {
		return false
	}
	x, y := NormalImage(a), NormalImage(b)
	switch {
	case !x.Comparable() || !y.Comparable():
		return false
	case x.Repository != y.Repository:
		return !mayBeShortOf(x, y) && !mayBeShortOf(y, x)
	case x.Digest != "" && y.Digest != "":
		return x.Digest != y.Digest
	case x.Digest != "" || y.Digest != "":
		return false
	}
	return x.Tag != y.Tag
}

// mayBeShortOf reports whether short, written without a registry, can have
// been resolved to full.
func mayBeShortOf(short, full Image) bool {
	if !short.short || full.short {
		return false
	}
	name := strings.TrimPrefix(strings.TrimPrefix(short.Repository, "docker.io/"), "library/")
	return strings.HasSuffix(full.Repository, "/"+name)
}

// ImageBase is the last part of a reference's name, without tag and digest: the
// name a person would use. Of an image id it is the first twelve digits.
func ImageBase(ref string) string {
	if isImageID(ref) {
		return strings.TrimPrefix(ref, "sha256:")[:12]
	}
	name, _, _ := strings.Cut(ref, "@")
	name = name[strings.LastIndex(name, "/")+1:]
	name, _, _ = strings.Cut(name, ":")
	return name
}

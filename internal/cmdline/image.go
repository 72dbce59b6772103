package cmdline

import (
	"strings"

	"github.com/distribution/reference"
)

// Image is a parsed image reference. Of an image id, and of text that is no reference, it
// holds the text alone: neither can be compared with others.
type Image struct {
	// Repository is the full name with its registry: docker.io/library/alpine.
	Repository string
	// Tag is latest if the reference has neither tag nor digest, and empty if it has
	// a digest only.
	Tag    string
	Digest string

	// short marks a name without a registry: podman may find it in any registry.
	short bool
	key   string
}

// Comparable reports whether the reference names an image in a way that can be
// compared.
func (i Image) Comparable() bool { return i.Repository != "" }

// NormalImage parses a reference. docker.io/library/x, x and x:latest are equal. An
// image id ("sha256:…", or 12 to 64 hexadecimal digits) cannot be compared: only the
// engine knows its name.
func NormalImage(ref string) Image {
	name := strings.TrimPrefix(ref, "docker://")
	if isImageID(name) {
		return Image{key: ref}
	}
	named, err := reference.ParseNormalizedNamed(name)
	if err != nil {
		return Image{key: ref}
	}
	image := Image{Repository: named.Name(), short: !strings.HasPrefix(name, reference.Domain(named)+"/")}
	if tagged, ok := named.(reference.Tagged); ok {
		image.Tag = tagged.Tag()
	}
	if digested, ok := named.(reference.Digested); ok {
		image.Digest = digested.Digest().String()
	}
	if image.Tag == "" && image.Digest == "" {
		image.Tag = "latest"
	}
	image.key = image.Repository + ":" + image.Tag
	if image.Digest != "" {
		image.key = image.Repository + "@" + image.Digest
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

// Key is equal for two references that are known to name the same image, and empty
// where there is no reference. Other keys say nothing about whether the images differ:
// see [Image.Differs].
func (i Image) Key() string { return i.key }

// Differs reports that two references are known to name different images. An image id
// may name any image, a tag any digest, and a name without a registry may come from any.
func (i Image) Differs(other Image) bool {
	switch {
	case !i.Comparable() || !other.Comparable():
		return false
	case i.Repository != other.Repository:
		return !mayBeShortOf(i, other) && !mayBeShortOf(other, i)
	case i.Digest != "" && other.Digest != "":
		return i.Digest != other.Digest
	case i.Digest != "" || other.Digest != "":
		return false
	}
	return i.Tag != other.Tag
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

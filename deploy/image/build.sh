#!/bin/sh
# Builds the image from a program built on this host, pulling nothing.
#   build.sh [NAME]            NAME is reaperd:latest
#
# GO, VERSION, SOURCE_DATE_EPOCH  as for the packages
# GOARCH                          the image's architecture, else this machine's
set -eu
cd "$(dirname "$0")/../.."

name=${1:-reaperd:latest}
go=${GO:-go}
version=${VERSION:-$(git describe --tags --always --dirty 2>/dev/null || true)}
revision=$(git rev-parse HEAD 2>/dev/null || true)
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || true)}
epoch=${epoch:-1767225600}
# As GNU's date takes it, or as that of macOS does.
created=$(date -u -d "@$epoch" +%Y-%m-%dT%H:%M:%SZ 2>/dev/null || date -u -r "$epoch" +%Y-%m-%dT%H:%M:%SZ)
arch=${GOARCH:-$("$go" env GOARCH)}

docker version >/dev/null 2>&1 || {
	echo "build.sh: no container engine answers, and one has to make the image: start it, or name it with DOCKER_HOST" >&2
	exit 1
}

context=$(mktemp -d "${TMPDIR:-/tmp}/reaperd-image.XXXXXX")
trap 'rm -rf "$context"' EXIT

CGO_ENABLED=0 GOOS=linux GOARCH=$arch "$go" build -trimpath -buildvcs=false -tags timetzdata \
	-ldflags "-s -w -buildid= -X main.linkedVersion=${version:-devel} -X main.linkedRevision=$revision" -o "$context/reaperd" ./cmd/reaperd
GO=$go deploy/packages/licences.sh "$context/dist-stage/third-party-licences.txt.gz"
cp LICENSE "$context/"
# A builder without BuildKit would ask a registry for what a platform needs, so
# none is named unless it is another machine's.
platform=
[ "$arch" = "$("$go" env GOHOSTARCH)" ] || platform="--platform=linux/$arch"
# shellcheck disable=SC2086 # empty or one word
docker build $platform --target host -f deploy/image/Dockerfile -t "$name" \
	--build-arg VERSION="${version:-devel}" --build-arg REVISION="${revision:-unknown}" --build-arg CREATED="$created" "$context"

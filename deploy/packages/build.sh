#!/bin/sh
# Builds the packages of this machine's architecture, the same bytes each time:
#   build.sh [FOLDER]          into FOLDER, else dist
#
# GO                 go
# VERSION            else what git describes; before the first tag 0.0.0 and the
#                    time of the last commit, so that a later build is an upgrade
# SOURCE_DATE_EPOCH  else the time of the last commit
# FORMATS            else "deb rpm"
set -eu
cd "$(dirname "$0")/../.."

out=${1:-dist}
go=${GO:-go}
nfpm=github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.4

described=${VERSION:-$(git describe --tags --always --dirty 2>/dev/null || true)}
version=${described#v}
case $version in
[0-9]*.[0-9]*) ;;
*) version= ;;
esac
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || true)}
epoch=${epoch:-1767225600}
version=${version:-0.0.0-$(date -u -d "@$epoch" +%Y%m%d%H%M%S)${described:+.g$described}}
arch=$("$go" env GOARCH)

stage=$(mktemp -d "${TMPDIR:-/tmp}/reaperd-dist.XXXXXX")
trap 'rm -rf "$stage"' EXIT

echo "compiling reaperd and nfpm, which makes packages: the first time this takes minutes" >&2
mkdir -p "$out"
# With the time zones, as a release is built: a minimal host has none.
CGO_ENABLED=0 "$go" build -trimpath -buildvcs=false -tags timetzdata -ldflags "-s -w -buildid= -X main.linkedVersion=$version -X main.linkedRevision=$(git rev-parse HEAD 2>/dev/null || true)" \
	-o "$stage/reaperd" ./cmd/reaperd
deploy/packages/stage.sh "$stage" "$stage/reaperd"
GO=$go deploy/packages/licences.sh "$stage/third-party-licences.txt.gz"
find "$stage" -exec touch -h -d "@$epoch" {} +

# nfpm fills in the version and the like from the environment, but neither
# sources nor times.
mtime=$(date -u -d "@$epoch" +%Y-%m-%dT%H:%M:%SZ)
sed -e "s|\${STAGE}|$stage|" -e "s|\${MTIME}|$mtime|" deploy/packages/nfpm.yaml >"$stage/nfpm.yaml"
# An earlier version would be installed by the same glob.
for format in ${FORMATS:-deb rpm}; do
	rm -f "$out"/reaperd[-_]*."$format"
	VERSION=$version ARCH=$arch SOURCE_DATE_EPOCH=$epoch \
		"$go" run "$nfpm" package --config "$stage/nfpm.yaml" --packager "$format" --target "$out/"
done
(cd "$out" && sha256sum ./*.deb ./*.rpm 2>/dev/null | sed 's| \./| |' >checksums.txt)

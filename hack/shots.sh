#!/bin/sh
# Makes the pictures of `reaperd top` and `reaperd scan` in docs/images, from the
# screen of a terminal in the world of `reaperd demo`. Needs Linux, and root or a
# kernel that gives users namespaces.
set -eu
cd "$(dirname "$0")/.."
folder=$(mktemp -d "${TMPDIR:-/tmp}/reaperd-shots.XXXXXX")
trap 'rm -rf "$folder"' EXIT
CGO_ENABLED=0 "${GO:-go}" build -trimpath -o "$folder/reaperd" ./cmd/reaperd
mkdir -p docs/images
"${GO:-go}" run ./hack/shots "$folder/reaperd" docs/images
ls -l docs/images/top.svg docs/images/scan.svg

#!/bin/sh
# Makes the pictures of `reaperd top` and `reaperd scan` in docs/images, from the
# screen of a terminal in the world of `reaperd demo`. Needs Linux, and root or a
# kernel that gives users namespaces; REAPERD_BIN is the reaperd that is shown.
# `make screenshots`.
set -eu
cd "$(dirname "$0")/.."
: "${REAPERD_BIN:=$PWD/bin/reaperd}"
mkdir -p docs/images
"${GO:-go}" run ./hack/shots "$REAPERD_BIN" docs/images
ls -l docs/images/top.svg docs/images/scan.svg

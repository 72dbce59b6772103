#!/bin/sh
# Takes the pictures of the page into docs/images: headless Chromium looks at the
# world of `reaperd demo --hold`. Needs root on Linux and Chromium; REAPERD_BIN is the
# reaperd that is shown. `make screenshots`.
set -eu
cd "$(dirname "$0")/.."
mkdir -p docs/images
: "${REAPERD_BIN:=$PWD/bin/reaperd}"
export REAPERD_BIN
REAPERD_SCREENSHOTS="$PWD/docs/images" "${GO:-go}" -C test/page test -count=1 -v -run '^TestScreenshots$' .
for picture in docs/images/page-*.png; do
	size=$(wc -c <"$picture")
	[ "$size" -lt 200000 ] || { echo "$picture has $size bytes: too large" >&2; exit 1; }
done

#!/bin/sh
# Makes the pictures of `reaperd top` and `reaperd scan` in docs/images, from the
# screen of a terminal in the world of `reaperd demo`. Needs root on Linux.
set -eu
cd "$(dirname "$0")/.."
mkdir -p docs/images
REAPERD_SHOTS=$PWD/docs/images "${GO:-go}" test -count=1 -run TestPicturesAreMadeOfTheScreen ./test/top
ls -l docs/images/top.svg docs/images/scan.svg

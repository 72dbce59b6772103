#!/bin/sh
# Lays out what is packed and is no file of the tree: man page and completions.
#   stage.sh FOLDER PROGRAM    PROGRAM runs here and writes its own completions
set -eu
cd "$(dirname "$0")/../.."
folder=$1
program=$2

mkdir -p "$folder/completions"
gzip -9nc deploy/packages/reaperd.1 >"$folder/reaperd.1.gz"
"$program" completion bash >"$folder/completions/reaperd.bash"
"$program" completion zsh >"$folder/completions/_reaperd"
"$program" completion fish >"$folder/completions/reaperd.fish"

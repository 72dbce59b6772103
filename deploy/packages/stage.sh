#!/bin/sh
# Lays out what is packed and is no file of the tree: man pages and completions.
#   stage.sh FOLDER PROGRAM    PROGRAM runs here and writes its own
set -eu
cd "$(dirname "$0")/../.."
folder=$1
program=$2

rm -rf "$folder/completions" "$folder/man" # the pages of commands that are gone
mkdir -p "$folder/completions" "$folder/man"
"$program" man "$folder/man"
gzip -9nf "$folder"/man/*.1
"$program" completion bash >"$folder/completions/reaperd.bash"
"$program" completion zsh >"$folder/completions/_reaperd"
"$program" completion fish >"$folder/completions/reaperd.fish"

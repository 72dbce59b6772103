#!/bin/sh
# Writes the licences of everything that is linked into reaperd, Go among it, which
# whoever passes the program on has to pass on too:
#   licences.sh FILE           a text, compressed by gzip
# GO is go.
set -eu
cd "$(dirname "$0")/../.."
go=${GO:-go}
text=${1%.gz}

# modules lists what is linked on any platform of a release: name, version, folder.
modules() {
	for os in linux darwin; do
		GOOS=$os "$go" list -deps -f '{{with .Module}}{{if .Version}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' ./cmd/reaperd
	done | sort -u
	echo "Go $("$go" env GOVERSION) $("$go" env GOROOT)"
}

mkdir -p "$(dirname "$text")"
echo "reaperd is under the Apache License 2.0. It is linked with what follows, each under its own." >"$text"
modules >"$text.modules"
while read -r name version folder; do
	files=$(find "$folder" -maxdepth 1 -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' \) | sort)
	[ -n "$files" ] || {
		echo "licences.sh: no licence in $name $version" >&2
		exit 1
	}
	for file in $files; do
		printf '\n======== %s %s: %s\n\n' "$name" "$version" "$(basename "$file")"
		cat "$file"
	done
done <"$text.modules" >>"$text"
rm "$text.modules"
gzip -9nf "$text"

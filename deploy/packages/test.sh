#!/bin/sh
# Installs, runs, upgrades, removes and purges the deb in a root file system of
# its own, in a PID namespace of its own. Needs root, debootstrap and tini.
#   test.sh OLD.deb NEW.deb
#
# MIRROR   else the one that debootstrap knows
# ROOTFS   a folder with a Debian system to copy; else one is made by debootstrap
set -eu

old=$1
new=$2
root=$(mktemp -d "${TMPDIR:-/tmp}/reaperd-root.XXXXXX")
finish() {
	for mount in $(awk -v below="$root/" 'index($2, below) == 1 { print $2 }' /proc/self/mounts | sort -r); do
		umount -l "$mount"
	done
	rm -rf "$root"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

say() { echo "$*"; }
die() {
	echo "test.sh: $*" >&2
	exit 1
}

if [ -n "${ROOTFS:-}" ]; then
	cp -a "$ROOTFS/." "$root"
else
	debootstrap --variant=minbase --include=init-system-helpers bookworm "$root" \
		${MIRROR:+"$MIRROR"} >"$root.log" 2>&1 || {
		tail -n 20 "$root.log" >&2
		die "debootstrap did not succeed"
	}
	rm -f "$root.log"
fi
cp "$old" "$root/old.deb"
cp "$new" "$root/new.deb"
cp "$(command -v tini)" "$root/usr/local/bin/tini"
cp "$(dirname "$0")/inside.sh" "$root/inside.sh"

# tini is the init: it adopts orphans and waits for them, as systemd would.
unshare --pid --mount --net --fork --kill-child sh -c '
	mount -t proc proc "$1/proc"
	ip link set lo up
	exec chroot "$1" /usr/local/bin/tini -s -- /bin/sh /inside.sh' - "$root"

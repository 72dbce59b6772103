#!/bin/sh
# Installs, runs, upgrades, removes and purges the deb in a root file system of
# its own, in a PID namespace of its own; then installs, upgrades and erases the
# rpm beside each, if rpm is here. Needs root, debootstrap and tini.
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

# --- the rpm: no service is running in this root ---
command -v rpm >/dev/null || {
	say "left out, the rpm: needs rpm (Debian: rpm)"
	exit
}
on_root() { rpm --root "$root" --nodeps "$@" >"$root/rpm.log" 2>&1 || die "rpm $*: $(cat "$root/rpm.log")"; }
rest() { find "$root/etc" "$root/usr" "$root/var" -xdev -iname '*reaperd*' ! -path '*/rpm/*'; }
on_root --install "${old%/*}"/reaperd-*.rpm
grep -q '^  sudo systemctl enable --now reaperd ' "$root/rpm.log" || die "the rpm names no next step: $(cat "$root/rpm.log")"
case $(chroot "$root" reaperd --version) in *0.1.0*) ;; *) die "the rpm installed $(chroot "$root" reaperd --version)" ;; esac
echo 'mode: report' >>"$root/etc/reaperd/policies.yaml"
on_root --upgrade "${new%/*}"/reaperd-*.rpm
case $(chroot "$root" reaperd --version) in *0.2.0*) ;; *) die "the rpm upgraded to $(chroot "$root" reaperd --version)" ;; esac
[ "$(tail -n 1 "$root/etc/reaperd/policies.yaml")" = 'mode: report' ] || die "the upgrade by rpm changed the policy"
on_root --erase reaperd
[ "$(tail -n 1 "$root/etc/reaperd/policies.yaml.rpmsave")" = 'mode: report' ] || die "rpm did not save the changed policy"
rm "$root/etc/reaperd/policies.yaml.rpmsave"
rmdir "$root/etc/reaperd"
[ -z "$(rest)" ] || die "left after an erasure by rpm: $(rest)"
on_root --install "${new%/*}"/reaperd-*.rpm
on_root --erase reaperd
[ -z "$(rest)" ] || die "left after an erasure by rpm of what nobody changed: $(rest)"
say "rpm: installed, upgraded and erased; the changed policy is saved, and nothing else is left"

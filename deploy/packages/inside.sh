#!/bin/sh
# Run by test.sh in a root file system and PID namespace of its own.
set -eu
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C

die() {
	echo "inside.sh: $*" >&2
	[ ! -f /tmp/daemon.log ] || sed 's/^/  daemon: /' /tmp/daemon.log >&2
	exit 1
}
now() { date +%s%N; }
ms() { echo $((($(now) - $1) / 1000000)); }
conffiles() { dpkg-query -W -f '${Conffiles}\n' reaperd | awk 'NF { print $1 }'; }

# holds CLAIM COMMAND... waits for a command to succeed.
holds() {
	claim=$1
	shift
	tries=0
	until "$@" >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ "$tries" -le 300 ] || die "after 60 s still not so: $claim"
		sleep 0.2
	done
}
gone() { ! kill -0 "$1" 2>/dev/null; }

# --- install, and the first report ---
began=$(now)
dpkg -i /old.deb >/tmp/dpkg.log 2>&1 || die "install: $(cat /tmp/dpkg.log)"
installed=$(ms "$began")
reaperd scan --dry-run >/tmp/report 2>/tmp/report.err || die "first report: $(cat /tmp/report.err)"
echo "installed in $installed ms, first report after $(ms "$began") ms; $(dpkg-query -W -f '${Installed-Size}' reaperd) kB installed"
[ "$(ms "$began")" -lt 60000 ] || die "more than a minute from nothing to a report"
[ "$(conffiles)" = /etc/reaperd/policies.yaml ] || die "conffiles: $(conffiles)"
[ -L /etc/systemd/system/multi-user.target.wants/reaperd.service ] || die "the system unit is not enabled"
reaperd policy check /etc/reaperd/policies.yaml >/dev/null || die "the policy that was shipped has faults"
case $(reaperd --version) in *0.1.0*) ;; *) die "$(reaperd --version)" ;; esac
grep -q '^  reaperd scan --dry-run ' /tmp/dpkg.log || die "it names no next step: $(cat /tmp/dpkg.log)"
# A Debian made small leaves man pages out, but knows of them.
for file in man/man1/reaperd.1.gz man/man1/reaperd-sweep.1.gz doc/reaperd/copyright doc/reaperd/policies.yaml \
	bash-completion/completions/reaperd zsh/vendor-completions/_reaperd fish/vendor_completions.d/reaperd.fish; do
	dpkg-query -L reaperd | grep -qx "/usr/share/$file" || die "$file is missing"
done
[ -s /usr/lib/systemd/user/reaperd.service ] || die "the user unit is missing"

# --- run as root under an init: one server left behind, one in use ---
cat >>/etc/reaperd/policies.yaml <<'POLICY'
schedule: "@every 1s"
rules:
  - {name: orphaned-servers, for: 2s, grace: 1s}
POLICY
mkdir -p /opt/mcp
cp /bin/sleep /opt/mcp/mcp-server-left
cp /bin/sleep /opt/mcp/mcp-server-used
# start NAME: a server between two ends of its stdio, below a client.
start() {
	sh -c '
		sh -c "echo \$\$ >/tmp/$1.writer; exec sleep 100000" |
		sh -c "echo \$\$ >/tmp/$1.server; exec /opt/mcp/mcp-server-$1 100000" |
		sh -c "echo \$\$ >/tmp/$1.reader; exec sleep 100000"' client "$1" &
	echo $! >"/tmp/$1.client"
	holds "the server $1 is up" test -s "/tmp/$1.server" -a -s "/tmp/$1.writer" -a -s "/tmp/$1.reader"
}
start left
start used
left=$(cat /tmp/left.server)
used=$(cat /tmp/used.server)

reaperd run >/tmp/daemon.log 2>&1 &
daemon=$!
holds "the daemon is well" reaperd health
kill -KILL "$(cat /tmp/left.client)" "$(cat /tmp/left.writer)" "$(cat /tmp/left.reader)"
holds "the server of the dead client is reaped" gone "$left"
gone "$used" && die "the server in use was reaped"
reaperd status >/tmp/status 2>&1 || die "status: $(cat /tmp/status)"

# --- upgrade: the changed policy stays, the daemon is the administrator's to restart here ---
changed=$(sha256sum </etc/reaperd/policies.yaml)
dpkg -i /new.deb >/tmp/dpkg.log 2>&1 </dev/null || die "upgrade: $(cat /tmp/dpkg.log)"
[ "$(sha256sum </etc/reaperd/policies.yaml)" = "$changed" ] || die "the upgrade changed the policy"
[ ! -e /etc/reaperd/policies.yaml.dpkg-new ] || die "the upgrade left a second policy"
case $(reaperd --version) in *0.2.0*) ;; *) die "$(reaperd --version)" ;; esac
gone "$daemon" && die "the upgrade ended the daemon"
gone "$used" && die "the upgrade ended a server"
kill -TERM "$daemon"
holds "the daemon ends when told to" gone "$daemon"
wait "$daemon" || die "the daemon ended with $?"
grep '"phase":"outcome"' /var/lib/reaperd/journal.jsonl | grep -q '"name":"mcp-server-left"' ||
	die "the journal does not say what became of the server: $(cat /var/lib/reaperd/journal.jsonl 2>&1)"
reaperd history >/tmp/history 2>&1 || die "history: $(cat /tmp/history)"
grep -q mcp-server-left /tmp/history || die "the history does not name what was reaped: $(cat /tmp/history)"

# --- remove: policy and journal stay; purge: nothing stays ---
dpkg -r reaperd >/tmp/dpkg.log 2>&1 || die "remove: $(cat /tmp/dpkg.log)"
[ ! -e /usr/bin/reaperd ] || die "the program is still there"
[ -e /etc/reaperd/policies.yaml ] || die "removing took the policy"
[ -d /var/lib/reaperd ] || die "removing took the journal"
dpkg -P reaperd >/tmp/dpkg.log 2>&1 || die "purge: $(cat /tmp/dpkg.log)"
rest=$(find /etc /usr /var/lib -xdev -iname '*reaperd*' ! -path '/var/lib/dpkg/*')
[ -z "$rest" ] || die "left after a purge: $rest"
gone "$used" && die "the server in use did not outlive it all"
echo "run, upgraded, removed and purged; the server in use lives"

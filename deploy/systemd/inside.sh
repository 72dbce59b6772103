#!/bin/sh
# Run by a unit in a container with systemd as PID 1, by the deploy tests: installs
# the service, does to it what a host does, and says what came of each.
set -eu
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C

say() { echo "$*"; }
die() {
	echo "FAILED: $*"
	systemctl status --no-pager -l reaperd 2>&1 | sed 's/^/  status: /'
	journalctl --no-pager -u reaperd -n 40 -o cat 2>&1 | sed 's/^/  journal: /'
	exit 1
}
trap 'systemctl --no-block poweroff' EXIT

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
show() { systemctl show -P "$1" reaperd; }
runs() { [ "$(show ActiveState)" = active ] && [ "$(show MainPID)" != "$1" ] && reaperd health; }
journalled() { grep '"phase":"outcome"' /var/lib/reaperd/journal.jsonl | grep -q "\"name\":\"$1\""; }

# start NAME: a server between two ends of its stdio, below a client.
start() {
	cp /bin/sleep "/opt/mcp/mcp-server-$1"
	sh -c '
		sh -c "echo \$\$ >/tmp/$1.writer; exec sleep 100000" |
		sh -c "echo \$\$ >/tmp/$1.server; exec /opt/mcp/mcp-server-$1 100000" |
		sh -c "echo \$\$ >/tmp/$1.reader; exec sleep 100000"' client "$1" &
	echo $! >"/tmp/$1.client"
	holds "the server $1 is up" test -s "/tmp/$1.server" -a -s "/tmp/$1.writer" -a -s "/tmp/$1.reader"
}
# orphan NAME: a server whose client is gone.
orphan() {
	start "$1"
	kill -KILL "$(cat "/tmp/$1.client")" "$(cat "/tmp/$1.writer")" "$(cat "/tmp/$1.reader")"
}
reaps() {
	orphan "$1"
	holds "$2, an orphan is reaped" gone "$(cat "/tmp/$1.server")"
	holds "the journal says so" journalled "mcp-server-$1"
	say "$2: an orphan was reaped, and the journal says so"
}

say "PID 1 is $(cat /proc/1/comm), $(systemctl --version | head -n 1)"
mkdir -p /opt/mcp /etc/reaperd
cat >/etc/reaperd/policies.yaml <<'POLICY'
version: 1
extends: builtin
mode: enforce
schedule: "@every 1s"
rules:
  - {name: orphaned-servers, for: 2s, grace: 1s}
POLICY

# --- install ---
reaperd install --system --yes >/tmp/install 2>&1 || die "install: $(cat /tmp/install)"
[ "$(show ActiveState)/$(show SubState)" = active/running ] || die "it does not run after install"
say "install: $(show ActiveState), PID $(show MainPID), $(systemctl is-enabled reaperd)"
# A watchdog that a test can wait for.
mkdir -p /etc/systemd/system/reaperd.service.d
printf '[Service]\nWatchdogSec=6s\nRestartSec=1s\n' >/etc/systemd/system/reaperd.service.d/quick.conf
systemctl daemon-reload
systemctl restart reaperd
holds "it is well" reaperd health

# --- what it reaps and what it keeps ---
start used
used=$(cat /tmp/used.server)
# The main process of a unit: a server whose ends of stdio are closed, at PPID 1.
cp /bin/sleep /opt/mcp/mcp-server-unit
cat >/etc/systemd/system/mcp-unit.service <<'UNIT'
[Service]
Type=forking
PIDFile=/run/mcp-unit.pid
ExecStart=/bin/sh -c ': | { /opt/mcp/mcp-server-unit 100000 & echo $! >/run/mcp-unit.pid; } | :'
UNIT
systemctl daemon-reload
systemctl start mcp-unit
unit=$(systemctl show -P MainPID mcp-unit)
[ "$(cat "/proc/$unit/comm")" = mcp-server-unit ] || die "the main process of the unit is not the server"
reaps first "installed"
reaps second "once more"
gone "$used" && die "the server in use was reaped"
gone "$unit" && die "the main process of a unit was reaped"
say "kept: the server in use ($used), and the main process of a unit with closed stdio ($unit)"

# --- a tree in the control group that reaperd exec made, that forks away when it is asked to end ---
# The kernel asks it first, when exec is killed.
cat >/opt/mcp/mcp-server-escapes <<'SERVER'
#!/bin/sh
trap 'test -e /tmp/asked && { setsid /bin/sh -c "(exec sleep 86399) </dev/null >/dev/null 2>&1 &"; exit; }; : >/tmp/asked' TERM
echo "$$ $PPID" >/tmp/escapes.server
while :; do sleep 1; done
SERVER
chmod 755 /opt/mcp/mcp-server-escapes
sh -c 'sh -c "echo \$\$ >/tmp/escapes.client; exec sleep 86398" | systemd-run --quiet --scope --unit=escapes -p Delegate=yes reaperd exec -- /opt/mcp/mcp-server-escapes | : &'
holds "the server that escapes is up" test -s /tmp/escapes.server
read -r escapes supervisor </tmp/escapes.server
grep -q "/reaperd-exec-$supervisor\$" "/proc/$escapes/cgroup" || die "exec made no control group: $(cat "/proc/$escapes/cgroup")"
kill -9 "$supervisor"
kill -9 "$(cat /tmp/escapes.client)"
holds "the server that escapes is reaped" gone "$escapes"
holds "the journal says so" journalled mcp-server-escapes
left=$(grep -lzx 86399 /proc/[0-9]*/cmdline 2>/dev/null || true)
[ -z "$left" ] || die "what forked away from the control group of exec lives: $left"
say "control group: what forked away from the one that exec made was ended with it"

# --- reload ---
pid=$(show MainPID)
sed -i 's/^mode: enforce/mode: report/' /etc/reaperd/policies.yaml
systemctl reload reaperd
holds "the new policy holds" sh -c 'reaperd status -o json | grep -q \"mode\":\"report\"'
[ "$(show MainPID)" = "$pid" ] || die "reload made it another process"
say "reload: mode report, the same PID $pid"
chmod 666 /etc/reaperd/policies.yaml
systemctl reload reaperd
holds "a policy that others can write is refused" sh -c 'journalctl -u reaperd -o cat | grep -q "chmod go-w /etc/reaperd/policies.yaml"'
[ "$(show ActiveState)/$(show MainPID)" = "active/$pid" ] || die "a refused policy ended it"
say "reload: a policy that others can write was refused with its remedy, the one before holds, still PID $pid"
chmod 644 /etc/reaperd/policies.yaml
sed -i 's/^mode: report/mode: enforce/' /etc/reaperd/policies.yaml
systemctl reload reaperd

# --- whatever ends it, it is back ---
# ends SIGNAL WHAT: how systemd saw it end, and that it is back.
ends() {
	pid=$(show MainPID)
	since=$(date +%s)
	kill "-$1" "$pid"
	holds "it is back after $2" runs "$pid"
	say "$2 (SIG$1 to $pid): back as PID $(show MainPID) after $(($(date +%s) - since)) s, restart $(show NRestarts); $(journalctl --no-pager -o cat -u reaperd | grep -E 'Main process exited|watchdog timeout' -i | tail -n 1)"
}
ends KILL "kill -9"
reaps third "after kill -9"
ends QUIT "a crash with Go's own status 2"
reaps fourth "after a crash"
ends STOP "a hang that the watchdog ends"
reaps fifth "after a hang"

# --- but not when it was asked wrongly ---
printf '[Service]\nEnvironment=REAPERD_MODE=nonsense\n' >/etc/systemd/system/reaperd.service.d/wrong.conf
systemctl daemon-reload
systemctl restart reaperd 2>/dev/null || true
holds "it has ended" test "$(show ActiveState)" = failed
restarts=$(show NRestarts)
sleep 4
[ "$(show ActiveState)/$(show ExecMainStatus)/$(show NRestarts)" = "failed/64/$restarts" ] || die "asked wrongly: $(show ActiveState), status $(show ExecMainStatus), restarts $(show NRestarts)"
say "asked wrongly: ended with status $(show ExecMainStatus), and was not started again"
rm /etc/systemd/system/reaperd.service.d/wrong.conf
systemctl daemon-reload
systemctl restart reaperd
holds "it runs again" reaperd health

# --- remove ---
reaperd uninstall --system --yes >/tmp/uninstall 2>&1 || die "uninstall: $(cat /tmp/uninstall)"
[ "$(systemctl is-active reaperd || true)" = inactive ] || die "it runs after uninstall"
[ ! -e /etc/systemd/system/reaperd.service ] || die "the unit is still there"
[ -s /var/lib/reaperd/journal.jsonl ] || die "uninstall took the journal"
gone "$used" && die "the server in use did not outlive it all"
gone "$unit" && die "the main process of a unit did not outlive it all"
say "removed: no unit, no process; journal kept; the server in use and the unit's main process live"

# --- the deb: apt starts it and says what to do next ---
rm -r /etc/reaperd /etc/systemd/system/reaperd.service.d /usr/local/bin/reaperd
systemctl daemon-reload
dpkg -i /old.deb >/tmp/dpkg 2>&1 </dev/null || die "install the deb: $(cat /tmp/dpkg)"
[ "$(show ActiveState)/$(show SubState)/$(systemctl is-enabled reaperd)" = active/running/enabled ] || die "the deb does not start it"
grep -q '^  reaperd status ' /tmp/dpkg || die "the deb names no next step: $(cat /tmp/dpkg)"
printf 'schedule: "@every 1s"\nrules:\n  - {name: orphaned-servers, for: 2s, grace: 1s}\n' >>/etc/reaperd/policies.yaml
reaps sixth "from the deb"
pid=$(show MainPID)
dpkg -i /new.deb >/tmp/dpkg 2>&1 </dev/null || die "upgrade the deb: $(cat /tmp/dpkg)"
holds "the upgrade has started the new one" runs "$pid"
! grep -q 'reaperd status' /tmp/dpkg || die "an upgrade says what to do next: $(cat /tmp/dpkg)"
reaps seventh "from the upgraded deb"
dpkg -r reaperd >/tmp/dpkg 2>&1 || die "remove the deb: $(cat /tmp/dpkg)"
[ "$(systemctl is-active reaperd || true)" = inactive ] || die "it runs after the deb was removed"
dpkg -P reaperd >/tmp/dpkg 2>&1 || die "purge the deb: $(cat /tmp/dpkg)"
rest=$(find /etc /usr /var/lib /run -xdev -iname '*reaperd*' ! -path '/var/lib/dpkg/*')
[ -z "$rest" ] || die "left after a purge: $rest"
gone "$used" && die "the server in use did not outlive the deb"
say "deb: started, upgraded while it ran, removed and purged; nothing is left, the server in use lives"
say "all held"

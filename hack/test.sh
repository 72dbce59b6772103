#!/bin/sh
# Runs the tests with everything they can use on this machine, and says in one
# line each what has to be left out.
#
# A Docker engine: one that answers is used. Where none does and we are root on
# Linux, one is started for the run, on a socket and in a folder of its own, and
# ended by its PID; on Debian its packages are installed first, without starting
# their services. Live worlds need root; npm's servers need node and a registry.
#
# REAPERD_TEST_REQUIRE=docker makes a missing engine an error.
# Arguments are for go test; without any it is `./...`.
set -eu
cd "$(dirname "$0")/.."

go=${GO:-go}
folder=
engine=
guard=
link=
watcher=
simulate=

say() { echo "test.sh: $*" >&2; }

required() {
	case ",${REAPERD_TEST_REQUIRE:-}," in *,docker,*) return 0 ;; esac
	return 1
}

finish() {
	status=$?
	trap - EXIT INT TERM HUP
	[ -z "$watcher" ] || kill "$watcher" 2>/dev/null || true
	[ -z "$simulate" ] || stop_simulate
	[ -z "$guard" ] || rm -f "$guard"
	[ -z "$engine" ] || stop_engine
	[ -z "$link" ] || rm -f "$link"
	[ -z "$folder" ] || rm -rf "$folder" || say "could not remove $folder"
	exit "$status"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# stop_simulate ends the go that runs the random worlds, and what that runs.
stop_simulate() {
	below=$(ps -A -o pid= -o ppid= | awk -v parent="$simulate" '$2 == parent { print $1 }')
	# shellcheck disable=SC2086 # a list
	kill $below "$simulate" 2>/dev/null || true
}

stop_engine() {
	kill -TERM "$engine" 2>/dev/null || return 0
	wait "$engine" 2>/dev/null || true
	for mount in $(awk -v below="$folder/" 'index($2, below) == 1 { print $2 }' /proc/self/mounts | sort -r); do
		umount -l "$mount" 2>/dev/null || true
	done
}

# answers: does the engine of DOCKER_HOST, or of the current context, answer?
answers() { docker version --format '{{.Server.Version}}' >/dev/null 2>&1; }

endpoint() {
	if [ -n "${DOCKER_HOST:-}" ]; then
		echo "$DOCKER_HOST"
	else
		docker context inspect --format '{{.Endpoints.docker.Host}}'
	fi
}

is_root_on_linux() { [ "$(uname -s)" = Linux ] && [ "$(id -u)" = 0 ]; }

# install_engine installs the packages and starts no service.
install_engine() {
	command -v apt-get >/dev/null || return 1
	say "installing docker.io and tini"
	if [ ! -e /usr/sbin/policy-rc.d ]; then
		guard=/usr/sbin/policy-rc.d
		printf '#!/bin/sh\nexit 101\n' >"$guard"
		chmod 755 "$guard"
	fi
	packages="docker.io tini"
	apt-get update -q >"$folder/apt.log" 2>&1 || say "apt-get update did not succeed; trying with what is known"
	# Newer releases keep the command line in a package of its own.
	! apt-cache show docker-cli >/dev/null 2>&1 || packages="$packages docker-cli"
	# shellcheck disable=SC2086 # a list
	RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
		-o DPkg::Lock::Timeout=120 $packages >>"$folder/apt.log" 2>&1 </dev/null || {
		tail -n 20 "$folder/apt.log" >&2
		return 1
	}
	[ -z "$guard" ] || rm -f "$guard"
	guard=
}

# stable_name gives the run's folder a name that the next run has too: go test
# remembers a result for the environment it was had in, with the engine's address
# among it. Another run at the same time keeps the name; one that was killed does not.
stable_name() {
	place=/run/reaperd-test
	[ ! -L "$place" ] || [ -S "$place/docker.sock" ] || rm -f "$place"
	if ln -sn "$folder" "$place" 2>/dev/null; then
		link=$place
	else
		place=$folder
	fi
}

# start_engine starts dockerd for the run. With setpriv it ends with this script
# whatever becomes of it.
start_engine() {
	tether=
	! command -v setpriv >/dev/null || tether="setpriv --pdeathsig TERM"
	$tether dockerd --data-root "$folder/root" --exec-root "$folder/exec" --pidfile "$folder/pid" \
		-H "unix://$folder/docker.sock" --bridge none --iptables=false --ip-masq=false \
		>"$folder/dockerd.log" 2>&1 </dev/null &
	engine=$!
	tries=0
	until DOCKER_HOST="unix://$folder/docker.sock" answers; do
		tries=$((tries + 1))
		if [ "$tries" -gt 600 ] || ! kill -0 "$engine" 2>/dev/null; then
			tail -n 20 "$folder/dockerd.log" >&2
			return 1
		fi
		sleep 0.2
	done
}

# bring_engine gives the tests an engine or says why there is none.
bring_engine() {
	[ -z "${REAPERD_TEST_DOCKER_HOST:-}" ] || return 0
	if command -v docker >/dev/null && answers; then
		REAPERD_TEST_DOCKER_HOST=$(endpoint)
		export REAPERD_TEST_DOCKER_HOST
		return 0
	fi
	missing="no Docker engine answers"
	is_root_on_linux || return 1
	if ! command -v dockerd >/dev/null || ! command -v docker >/dev/null; then
		missing="no Docker engine is installed, and it could not be"
		install_engine || return 1
	fi
	missing="the Docker engine did not start"
	start_engine || return 1
	stable_name
	REAPERD_TEST_DOCKER_HOST=unix://$place/docker.sock
	export REAPERD_TEST_DOCKER_HOST
}

bring_npm() {
	[ -z "${REAPERD_TEST_NPM:-}" ] || return 0
	missing="node and npm are not installed"
	command -v node >/dev/null && command -v npm >/dev/null || return 1
	missing="the registry does not answer npm"
	npm ping --fetch-timeout=10000 --fetch-retries=0 >/dev/null 2>&1 </dev/null || return 1
	REAPERD_TEST_NPM=1
	export REAPERD_TEST_NPM
}

folder=$(mktemp -d "${TMPDIR:-/tmp}/reaperd-test.XXXXXX")
if ! bring_engine; then
	if required; then
		say "required by REAPERD_TEST_REQUIRE: $missing"
		exit 1
	fi
	say "left out, the tests on a real engine: $missing"
fi
is_root_on_linux || say "left out, the tests in live worlds: they need root on Linux"
bring_npm || say "left out, the tests with servers from npm: $missing"

# The programs that live worlds run are built once, for all packages, into a folder that
# has the same name each time: go test remembers a result for its environment.
if is_root_on_linux; then
	REAPERD_TEST_PROGRAMS=$PWD/bin/test
	export REAPERD_TEST_PROGRAMS
	mkdir -p "$REAPERD_TEST_PROGRAMS"
	for program in cmd/reaperd test/farm/cmd/actor; do
		CGO_ENABLED=0 "$go" build -o "bin/test/${program##*/}" "./$program" </dev/null
	done
fi

# watch says now and then which tests run, since go test says nothing of a package
# before it is over. They are the children of the go that this script runs.
watch() {
	while sleep 20; do
		running=$(ps -A -o pid= -o ppid= -o comm= | awk -v script=$$ '
			{ parent[$1] = $2; sub(".*/", "", $3); name[$1] = $3 }
			END { for (pid in name) if (name[pid] ~ /[.]test$/ && parent[parent[pid]] == script) print name[pid] }' | sort)
		[ -z "$running" ] || say "running: $(echo $running)"
	done
}
if command -v ps >/dev/null; then
	watch &
	watcher=$!
fi

# Without arguments, the random worlds of test/simulate take what processor time the
# other tests leave, which wait most of the time. They come last, and have their time
# however busy the machine is.
if [ $# -gt 0 ]; then
	"$go" test -timeout 15m "$@" </dev/null
	exit
fi
worlds=test/simulate
nice -n 10 "$go" test -timeout 30m "./$worlds" >"$folder/simulate.log" 2>&1 </dev/null &
simulate=$!
packages=$("$go" list ./...)
packages=$(echo "$packages" | grep -v "/$worlds\$")
failed=0
# Live worlds mostly wait: twice as many packages run at a time as there are processors.
# shellcheck disable=SC2086 # a list
"$go" test -timeout 15m -p "$(($(getconf _NPROCESSORS_ONLN) * 2))" $packages </dev/null || failed=$?
wait "$simulate" || failed=$?
simulate=
cat "$folder/simulate.log"
exit "$failed"

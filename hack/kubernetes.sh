#!/bin/sh
# A one-node Kubernetes of this machine's own, and reaperd's DaemonSet in it:
# it reaps an orphan of the node, leaves a live server alone, and takes up a
# changed ConfigMap. Needs root on Linux with cgroup v1, and on Debian
#
#   apt install etcd-server docker.io containernetworking-plugins tini openssl curl iproute2
#
# No image is pulled. Kubernetes itself is built from its Go module, which takes
# about five minutes the first time; the programs are kept in
# ${XDG_CACHE_HOME:-~/.cache}/reaperd-kubernetes.
#
# The node is a PID, mount and network namespace: nothing outside can be hit, and
# everything ends with it.
set -eu
cd "$(dirname "$0")/.."

go=${GO:-go}
version=1.34.4 # later ones want cgroup v2
cache=${XDG_CACHE_HOME:-$HOME/.cache}/reaperd-kubernetes/$version

say() { echo "kubernetes.sh: $*" >&2; }
die() {
	say "$*"
	exit 1
}

[ "$(uname -s)" = Linux ] && [ "$(id -u)" = 0 ] || die "needs root on Linux"
for program in etcd containerd dockerd docker ctr tini openssl curl ip unshare; do
	command -v "$program" >/dev/null || die "needs $program; the head of this script says which packages"
done
[ -d /usr/lib/cni ] || die "needs containernetworking-plugins"

# build_kubernetes builds the five programs from the module k8s.io/kubernetes. Its
# staging modules are named there without a version; each is taken from the
# module of its own that is published with it.
build_kubernetes() {
	[ ! -x "$cache/kubectl" ] || return 0
	say "building Kubernetes $version"
	source=$(mktemp -d "${TMPDIR:-/tmp}/reaperd-kubernetes-src.XXXXXX")
	(
		cd "$source"
		printf 'module node\n\ngo 1.24.0\n' >go.mod
		module=$("$go" mod download -json "k8s.io/kubernetes@v$version" | sed -n 's/^.*"GoMod": "\(.*\)",*$/\1/p')
		staging=$(sed -n 's/^[[:space:]]*\(k8s\.io\/[a-z-]*\) v0\.0\.0\( .*\)*$/\1/p' "$module" | sort -u)
		for name in $staging; do
			"$go" mod edit -replace "$name=$name@v0.${version#1.}"
		done
		"$go" mod edit -require "k8s.io/kubernetes@v$version"
		programs="kube-apiserver kube-controller-manager kube-scheduler kubelet kubectl"
		{
			echo "package node"
			for program in $programs; do echo "import _ \"k8s.io/kubernetes/cmd/$program/app\""; done | grep -v kubectl
			echo 'import _ "k8s.io/kubectl/pkg/cmd"'
		} >node.go
		GOFLAGS=-mod=mod "$go" mod tidy >tidy.log 2>&1 || { tail -n 20 tidy.log >&2; exit 1; }
		base=k8s.io/component-base/version
		mkdir -p "$cache"
		for program in $programs; do
			CGO_ENABLED=0 GOFLAGS=-mod=mod "$go" build -o "$cache/$program.new" \
				-ldflags "-s -w -X $base.gitVersion=v$version -X $base.gitMajor=1 -X $base.gitMinor=34" "k8s.io/kubernetes/cmd/$program"
			mv "$cache/$program.new" "$cache/$program"
		done
	)
	rm -rf "$source"
}

# --- inside the namespace: $1 is the folder of the run ---
holds() {
	claim=$1
	shift
	tries=0
	until "$@" >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ "$tries" -le 600 ] || fail "after 120 s still not so: $claim"
		sleep 0.2
	done
}
fail() {
	for log in "$folder"/*.log; do
		echo "--- $log" >&2
		tail -n 8 "$log" | cut -c 1-400 >&2
	done
	k -n reaperd get pods -o wide >&2 || true
	k -n reaperd describe pods 2>/dev/null | tail -n 25 >&2 || true
	cat /var/log/pods/*reaperd*/*/*.log 2>/dev/null | tail -n 20 >&2 || true
	die "$*"
}
gone() { ! kill -0 "$1" 2>/dev/null; }
k() { "$cache/kubectl" --kubeconfig "$folder/kubeconfig" "$@"; }
background() { # background NAME COMMAND...
	name=$1
	shift
	"$@" >"$folder/$name.log" 2>&1 </dev/null &
}

# private gives the node folders and a network of its own.
private() {
	mount --make-rprivate /
	mount --make-rshared /
	mount -t proc proc /proc
	mkdir -p "$folder/lib" "$folder/work"
	mount -t overlay -o "lowerdir=/var/lib,upperdir=$folder/lib,workdir=$folder/work" overlay /var/lib
	mount -t tmpfs tmpfs /run
	mount -t tmpfs tmpfs /var/log
	ip link set lo up
	ip link add node type bridge
	ip address add 10.99.0.1/24 dev node
	ip link set node up
	ip route add default via 10.99.0.254 dev node
}

# images builds the two images with an engine that lives no longer than that.
images() {
	CGO_ENABLED=0 "$go" build -o "$folder/pause" ./hack/kubernetes-pause
	dockerd --data-root "$folder/docker" --exec-root "$folder/docker-exec" --pidfile "$folder/docker.pid" -H "unix://$folder/docker.sock" \
		--bridge none --iptables=false --ip-masq=false >"$folder/dockerd.log" 2>&1 </dev/null &
	engine=$!
	export DOCKER_HOST="unix://$folder/docker.sock" DOCKER_BUILDKIT=0
	holds "the engine answers" docker version
	deploy/image/build.sh docker.io/library/reaperd:node >"$folder/image.log" 2>&1 || fail "the image was not built"
	tar -C "$folder" -cf - pause | docker import --change 'ENTRYPOINT ["/pause"]' - docker.io/library/pause:node >/dev/null
	docker save -o "$folder/images.tar" docker.io/library/reaperd:node docker.io/library/pause:node
	kill -TERM "$engine"
	wait "$engine" || true
}

runtime() {
	mkdir -p "$folder/cni"
	cat >"$folder/cni/10-node.conflist" <<-'CNI'
		{"cniVersion": "0.4.0", "name": "node", "plugins": [{"type": "bridge", "bridge": "pods", "isGateway": true,
		 "ipam": {"type": "host-local", "ranges": [[{"subnet": "10.98.0.0/24"}]]}}]}
	CNI
	cat >"$folder/containerd.toml" <<-TOML
		version = 2
		root = "$folder/containerd"
		state = "$folder/containerd-state"
		[grpc]
		  address = "$folder/containerd.sock"
		[plugins."io.containerd.grpc.v1.cri"]
		  sandbox_image = "docker.io/library/pause:node"
		  restrict_oom_score_adj = true
		  disable_apparmor = true
		  [plugins."io.containerd.grpc.v1.cri".cni]
		    bin_dir = "/usr/lib/cni"
		    conf_dir = "$folder/cni"
	TOML
	background containerd containerd --config "$folder/containerd.toml"
	holds "containerd answers" ctr --address "$folder/containerd.sock" version
	ctr --address "$folder/containerd.sock" -n k8s.io images import "$folder/images.tar" >/dev/null
}

control() {
	openssl genrsa -out "$folder/account.key" 2048 2>/dev/null
	token=$(openssl rand -hex 16)
	echo "$token,admin,admin,system:masters" >"$folder/tokens.csv"
	cat >"$folder/kubeconfig" <<-CONFIG
		apiVersion: v1
		kind: Config
		clusters: [{name: node, cluster: {server: "https://127.0.0.1:6443", insecure-skip-tls-verify: true}}]
		users: [{name: admin, user: {token: "$token"}}]
		contexts: [{name: node, context: {cluster: node, user: admin}}]
		current-context: node
	CONFIG
	background etcd etcd --data-dir "$folder/etcd" --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
		--listen-peer-urls http://127.0.0.1:2380
	background apiserver "$cache/kube-apiserver" --etcd-servers http://127.0.0.1:2379 --bind-address 127.0.0.1 --secure-port 6443 \
		--advertise-address 10.99.0.1 --cert-dir "$folder/certificates" --token-auth-file "$folder/tokens.csv" \
		--authorization-mode AlwaysAllow --service-cluster-ip-range 10.96.0.0/16 --service-account-issuer https://node \
		--service-account-key-file "$folder/account.key" --service-account-signing-key-file "$folder/account.key"
	holds "the API server is ready" k get --raw /readyz
	background controllers "$cache/kube-controller-manager" --kubeconfig "$folder/kubeconfig" --leader-elect=false \
		--service-account-private-key-file "$folder/account.key" --cert-dir "$folder/controllers"
	background scheduler "$cache/kube-scheduler" --kubeconfig "$folder/kubeconfig" --leader-elect=false --cert-dir "$folder/scheduler"
}

node() {
	cat >"$folder/kubelet.yaml" <<-KUBELET
		apiVersion: kubelet.config.k8s.io/v1beta1
		kind: KubeletConfiguration
		authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
		authorization: {mode: AlwaysAllow}
		cgroupDriver: cgroupfs
		cgroupsPerQOS: false
		enforceNodeAllocatable: []
		failSwapOn: false
		containerRuntimeEndpoint: unix://$folder/containerd.sock
		volumePluginDir: $folder/plugins
		resolvConf: ""
		syncFrequency: 2s
		localStorageCapacityIsolation: false
		imageGCHighThresholdPercent: 100
		evictionHard: {memory.available: 1Mi, nodefs.available: 0%, imagefs.available: 0%}
	KUBELET
	background kubelet "$cache/kubelet" --config "$folder/kubelet.yaml" --kubeconfig "$folder/kubeconfig" --hostname-override node \
		--node-ip 10.99.0.1 --root-dir "$folder/kubelet" --cert-dir "$folder/kubelet-certificates"
	holds "the node is known" k get node node
	k wait --for condition=Ready node/node --timeout 120s >/dev/null || fail "the node is not ready"
}

# daemonset applies the base with the image that is here, and a quicker policy.
daemonset() {
	cp -r deploy/kubernetes/base "$folder/base"
	mkdir -p "$folder/mine"
	policy enforce
	cat >"$folder/mine/kustomization.yaml" <<-'KUSTOMIZATION'
		apiVersion: kustomize.config.k8s.io/v1beta1
		kind: Kustomization
		namespace: reaperd
		resources: [../base]
		images: [{name: ghcr.io/reaperd/reaperd, newName: docker.io/library/reaperd, newTag: node}]
		configMapGenerator:
		  - {name: reaperd-policy, behavior: replace, files: [policies.yaml], options: {disableNameSuffixHash: true}}
		patches:
		  - target: {kind: DaemonSet}
		    patch: '[{"op": "replace", "path": "/spec/template/spec/containers/0/imagePullPolicy", "value": "Never"}]'
	KUSTOMIZATION
	k apply -k "$folder/mine" >/dev/null || fail "the kustomization was not taken"
	k -n reaperd rollout status daemonset/reaperd --timeout 120s >/dev/null || fail "the DaemonSet did not come up"
}

policy() {
	cat >"$folder/mine/policies.yaml" <<-POLICY
		version: 1
		extends: builtin
		mode: $1
		schedule: "@every 2s"
		rules:
		  - {name: orphaned-servers, for: 3s, grace: 1s}
	POLICY
}

# serve NAME: a server of the node between two ends of its stdio, below a client.
serve() {
	cp /bin/sleep "$folder/mcp-server-$1"
	sh -c '
		sh -c "echo \$\$ >$1.writer; exec sleep 100000" |
		sh -c "echo \$\$ >$1.server; exec $2 100000" |
		sh -c "echo \$\$ >$1.reader; exec sleep 100000"' client "$folder/$1" "$folder/mcp-server-$1" &
	echo $! >"$folder/$1.client"
	holds "the server $1 is up" test -s "$folder/$1.server" -a -s "$folder/$1.writer" -a -s "$folder/$1.reader"
}
# abandon NAME: its client and all that it held are gone.
abandon() { kill -KILL "$(cat "$folder/$1.client")" "$(cat "$folder/$1.writer")" "$(cat "$folder/$1.reader")"; }
metric() { curl -s http://10.99.0.1:9723/metrics | grep -q "$1"; }
swept() { curl -s http://10.99.0.1:9723/metrics | awk '/^reaperd_sweeps_total/ { n += $NF } END { print int(n) }'; }
swept_since() { [ "$(swept)" -ge "$1" ]; }

inside() {
	folder=$1
	private
	images
	runtime
	control
	node
	say "the node is ready"
	serve left
	serve used
	daemonset
	say "the DaemonSet is up"
	abandon left
	holds "the orphan of the node is reaped" gone "$(cat "$folder/left.server")"
	holds "it has swept three times more" swept_since $(($(swept) + 3))
	! gone "$(cat "$folder/used.server")" || fail "the live server was reaped"
	say "the orphan is reaped, the live server is not"

	pod=$(k -n reaperd get pods -o name)
	policy report
	k apply -k "$folder/mine" >/dev/null
	holds "the changed ConfigMap is taken up" metric '^reaperd_mode{mode="report"} 1'
	[ "$(k -n reaperd get pods -o name)" = "$pod" ] || fail "the pod was made anew"
	abandon used
	holds "it has swept ten times more" swept_since $(($(swept) + 10))
	! gone "$(cat "$folder/used.server")" || fail "it reaped under mode: report"
	say "the changed policy holds in the running pod: an orphan is reported and stays"
	say "ok"
}

if [ "${1:-}" = inside ]; then
	inside "$2"
	exit
fi

build_kubernetes
folder=$(mktemp -d "${TMPDIR:-/tmp}/reaperd-kubernetes.XXXXXX")
# cgroups lists those that a Kubernetes makes, innermost first.
cgroups() {
	find /sys/fs/cgroup -type d \( -path '*/k8s.io/*' -o -path '*/k8s.io' -o -path '*/kubepods*' \) 2>/dev/null | sort -r
}
cgroups >"$folder/cgroups"
# finish removes what outlives the namespace: the folder, and the cgroups that
# were not there before. Those of a Kubernetes of the host are left alone, empty
# ones included.
finish() {
	status=$?
	trap - EXIT INT TERM
	cgroups | grep -vxF -f "$folder/cgroups" | while read -r made; do rmdir "$made" 2>/dev/null || true; done
	rm -rf "$folder" || say "could not remove $folder"
	exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
unshare --pid --mount --net --fork --kill-child tini -s -- "$0" inside "$folder"

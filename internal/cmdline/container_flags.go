package cmdline

import "sync"

// containerFlags are flags by whether they take a value.
type containerFlags struct {
	switches Words // take none; a value only as --flag=value
	values   Words // take one, as --flag=value or as the next argument
}

// containerCLIs are the programs that run containers, by file name.
var containerCLIs = sync.OnceValue(func() map[string]*containerCLI {
	docker, podman, nerdctl := dockerGlobal(), podmanGlobal(), nerdctlGlobal()
	return index([]containerCLI{
		{name: "docker", names: WordsOf("docker com.docker.cli"), global: docker},
		{name: "podman", names: WordsOf("podman podman-remote podman-remote-static"), global: podman},
		{name: "nerdctl", names: WordsOf("nerdctl nerdctl.lima nerdctl.rootless"), global: nerdctl},
		{name: "finch", names: WordsOf("finch"), global: nerdctl},
		{name: "nerdctl", names: WordsOf("lima limactl colima"), global: nerdctl, inside: "nerdctl"},
		{name: "docker", names: WordsOf("docker-compose"), global: containerFlags{union(docker.switches, composeFlags().switches), union(docker.values, composeFlags().values)}, composes: true},
	}, func(c containerCLI) Words { return c.names })
})

// containerCLI is a program that runs containers.
type containerCLI struct {
	names  Words
	name   string         // the program whose grammar it has
	global containerFlags // in front of the command
	inside string         // it runs this CLI, named among its arguments, in a virtual machine
	// composes: it is Compose's own program, the CLI's plugin or one that is called by itself.
	composes bool
}

// containerCommands are the commands whose arguments are read, with their flags.
var containerCommands = sync.OnceValue(func() map[string]containerFlags {
	create, start := createFlags(), startFlags()
	return map[string]containerFlags{"run": create, "create": create, "exec": execFlags(), "start": start, "attach": start}
})

// The flags of the CLIs. Sources: docker 28 --help; podman(1) and its subcommands' pages, podman 5;
// docs/command-reference.md of containerd/nerdctl, nerdctl 2; docker compose 2.24 --help. Where several
// CLIs have a flag, it means the same in all of them.
const (
	// of podman and nerdctl, in front of the command or behind it
	anywhereSwitches = "remote syslog transient-store " +
		"debug debug-full experimental insecure-registry kube-hide-dupe "
	anywhereValues = "cdi-spec-dir cgroup-manager config conmon connection cpu-profile db-backend events-backend hooks-dir identity " +
		"imagestore log-level memory-profile module namespace network-cmd-path network-config-dir out pull-option " +
		"registries-conf root runroot runtime runtime-flag ssh storage-driver storage-opt tls-ca tls-cert tls-key tmpdir url " +
		"volumepath " +
		"address bridge-ip cdi-spec-dirs cgroup-manager cni-netconfpath cni-path data-root global-dns global-dns-opts " +
		"global-dns-search host host-gateway-ip hosts-dir log-level namespace snapshotter storage-driver userns-remap "
	// of Compose's run and exec
	composeSwitches = "d detach dry-run help i interactive t tty T no-TTY no-tty "
	composeValues   = "e env u user w workdir "
)

// dockerGlobal, podmanGlobal and nerdctlGlobal stand in front of the command.
func dockerGlobal() containerFlags {
	return flagsOf("D debug tls tlsverify v version help", "c context H host config l log-level tlscacert tlscert tlskey")
}

func podmanGlobal() containerFlags {
	return flagsOf(anywhereSwitches+"r noout trace v version help", anywhereValues+"c")
}

func nerdctlGlobal() containerFlags {
	return flagsOf(anywhereSwitches+"v version help h", anywhereValues+"a H n")
}

func createFlags() containerFlags {
	return flagsOf(anywhereSwitches+
		"detach disable-content-trust help init interactive no-healthcheck oom-kill-disable privileged publish-all quiet "+
		"read-only rm sig-proxy tty use-api-socket d i t P q "+
		"env-host http-proxy no-hostname no-hosts passwd read-only-tmpfs replace rmi rootfs tls-verify unsetenv-all",
		anywhereValues+
			"add-host annotation attach blkio-weight blkio-weight-device cap-add cap-drop cgroup-parent cgroupns cidfile cpu-count "+
			"cpu-percent cpu-period cpu-quota cpu-rt-period cpu-rt-runtime cpu-shares cpus cpuset-cpus cpuset-mems detach-keys "+
			"device device-cgroup-rule device-read-bps device-read-iops device-write-bps device-write-iops dns dns-opt dns-option "+
			"dns-search domainname entrypoint env env-file expose gpus group-add health-cmd health-interval health-retries "+
			"health-start-interval health-start-period health-timeout hostname io-maxbandwidth io-maxiops ip ip6 ipc isolation "+
			"kernel-memory label label-file link link-local-ip log-driver log-opt mac-address memory memory-reservation "+
			"memory-swap memory-swappiness mount name net net-alias network network-alias oom-score-adj pid pids-limit platform "+
			"publish pull restart runtime security-opt shm-size stop-signal stop-timeout storage-opt sysctl tmpfs ulimit user "+
			"userns uts volume volume-driver volumes-from workdir a c e h l m p u v w "+
			"arch authfile cert-dir cgroup-conf cgroups chrootdirs conmon-pidfile creds decryption-key env-merge gidmap "+
			"group-entry health-log-destination health-max-log-count health-max-log-size health-on-failure health-startup-cmd "+
			"health-startup-interval health-startup-retries health-startup-success health-startup-timeout hosts-file hostuser "+
			"image-volume init-ctr init-path intel-rdt-closid os passwd-entry personality pidfile pod pod-id-file preserve-fd "+
			"preserve-fds requires retry retry-delay sdnotify seccomp-policy secret shm-size-systemd signature-policy subgidname "+
			"subuidname systemd timeout tz uidmap umask unsetenv variant "+
			"cosign-certificate-identity cosign-certificate-identity-regexp cosign-certificate-oidc-issuer "+
			"cosign-certificate-oidc-issuer-regexp cosign-key init-binary ipfs-address rdt-class verify")
}

// execFlags add podman's -l, --latest: for run, -l is a label.
func execFlags() containerFlags {
	return flagsOf(anywhereSwitches+"d detach i interactive t tty privileged help l latest no-session",
		anywhereValues+"detach-keys e env env-file u user w workdir cidfile preserve-fd preserve-fds")
}

func startFlags() containerFlags {
	return flagsOf(anywhereSwitches+"a attach i interactive no-stdin sig-proxy help l latest all",
		anywhereValues+"checkpoint checkpoint-dir detach-keys f filter")
}

// composeFlags are those in front of Compose's command.
var composeFlags = sync.OnceValue(func() containerFlags {
	return flagsOf("all-resources compatibility dry-run help verbose version v no-ansi",
		"ansi env-file f file parallel profile progress project-directory p project-name workdir")
})

// composeCommands are the flags of Compose's run and exec.
var composeCommands = sync.OnceValue(func() map[string]containerFlags {
	return map[string]containerFlags{
		"run": flagsOf(composeSwitches+"build no-deps q quiet quiet-build quiet-pull remove-orphans rm P service-ports use-aliases",
			composeValues+"cap-add cap-drop entrypoint env-from-file l label name p publish pull v volume"),
		"exec": flagsOf(composeSwitches+"privileged", composeValues+"index"),
	}
})

func flagsOf(switches, values string) containerFlags {
	return containerFlags{WordsOf(switches), WordsOf(values)}
}

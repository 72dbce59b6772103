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
		{name: "docker", names: WordsOf("docker-compose"), global: docker.and(composeFlags()), composes: true},
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
	create := dockerCreate().and(podmanCreate(), nerdctlCreate(), podmanAnywhere(), nerdctlAnywhere())
	start := startFlags()
	return map[string]containerFlags{"run": create, "create": create, "exec": execFlags(), "start": start, "attach": start}
})

// The flags of the CLIs. Sources: docker 28 --help; podman(1) and its subcommands' pages, podman 5;
// docs/command-reference.md of containerd/nerdctl, nerdctl 2. Where several
// CLIs have a flag, it means the same in all of them.
func dockerGlobal() containerFlags {
	return containerFlags{
		switches: WordsOf("D debug tls tlsverify v version help"),
		values:   WordsOf("c context H host config l log-level tlscacert tlscert tlskey"),
	}
}

func podmanGlobal() containerFlags {
	return podmanAnywhere().and(containerFlags{
		switches: WordsOf("r remote syslog noout transient-store trace v version help"),
		values:   WordsOf("c"),
	})
}

func nerdctlGlobal() containerFlags {
	return nerdctlAnywhere().and(containerFlags{
		switches: WordsOf("v version help h"),
		values:   WordsOf("a H n"),
	})
}

// podmanAnywhere and nerdctlAnywhere are those of the global flags that may
// also stand behind the command.
func podmanAnywhere() containerFlags {
	return containerFlags{
		switches: WordsOf("remote syslog transient-store"),
		values: WordsOf("" +
			"cdi-spec-dir cgroup-manager config conmon connection cpu-profile db-backend events-backend hooks-dir identity " +
			"imagestore log-level memory-profile module namespace network-cmd-path network-config-dir out pull-option " +
			"registries-conf root runroot runtime runtime-flag ssh storage-driver storage-opt tls-ca tls-cert tls-key tmpdir url " +
			"volumepath"),
	}
}

func nerdctlAnywhere() containerFlags {
	return containerFlags{
		switches: WordsOf("debug debug-full experimental insecure-registry kube-hide-dupe"),
		values: WordsOf("" +
			"address bridge-ip cdi-spec-dirs cgroup-manager cni-netconfpath cni-path data-root global-dns global-dns-opts " +
			"global-dns-search host host-gateway-ip hosts-dir log-level namespace snapshotter storage-driver userns-remap"),
	}
}

func dockerCreate() containerFlags {
	return containerFlags{
		switches: WordsOf("" +
			"detach disable-content-trust help init interactive no-healthcheck oom-kill-disable privileged publish-all quiet " +
			"read-only rm sig-proxy tty use-api-socket d i t P q"),
		values: WordsOf("" +
			"add-host annotation attach blkio-weight blkio-weight-device cap-add cap-drop cgroup-parent cgroupns cidfile cpu-count " +
			"cpu-percent cpu-period cpu-quota cpu-rt-period cpu-rt-runtime cpu-shares cpus cpuset-cpus cpuset-mems detach-keys " +
			"device device-cgroup-rule device-read-bps device-read-iops device-write-bps device-write-iops dns dns-opt dns-option " +
			"dns-search domainname entrypoint env env-file expose gpus group-add health-cmd health-interval health-retries " +
			"health-start-interval health-start-period health-timeout hostname io-maxbandwidth io-maxiops ip ip6 ipc isolation " +
			"kernel-memory label label-file link link-local-ip log-driver log-opt mac-address memory memory-reservation " +
			"memory-swap memory-swappiness mount name net net-alias network network-alias oom-score-adj pid pids-limit platform " +
			"publish pull restart runtime security-opt shm-size stop-signal stop-timeout storage-opt sysctl tmpfs ulimit user " +
			"userns uts volume volume-driver volumes-from workdir a c e h l m p u v w"),
	}
}

func podmanCreate() containerFlags {
	return containerFlags{
		switches: WordsOf("env-host http-proxy no-hostname no-hosts passwd read-only-tmpfs replace rmi rootfs tls-verify unsetenv-all"),
		values: WordsOf("" +
			"arch authfile cert-dir cgroup-conf cgroups chrootdirs conmon-pidfile creds decryption-key env-merge gidmap " +
			"group-entry health-log-destination health-max-log-count health-max-log-size health-on-failure health-startup-cmd " +
			"health-startup-interval health-startup-retries health-startup-success health-startup-timeout hosts-file hostuser " +
			"image-volume init-ctr init-path intel-rdt-closid os passwd-entry personality pidfile pod pod-id-file preserve-fd " +
			"preserve-fds requires retry retry-delay sdnotify seccomp-policy secret shm-size-systemd signature-policy subgidname " +
			"subuidname systemd timeout tz uidmap umask unsetenv variant"),
	}
}

func nerdctlCreate() containerFlags {
	return containerFlags{values: WordsOf("" +
		"cosign-certificate-identity cosign-certificate-identity-regexp cosign-certificate-oidc-issuer " +
		"cosign-certificate-oidc-issuer-regexp cosign-key init-binary ipfs-address rdt-class verify")}
}

// execFlags add podman's -l, --latest: for run, -l is a label.
func execFlags() containerFlags {
	return podmanAnywhere().and(nerdctlAnywhere(), containerFlags{
		switches: WordsOf("d detach i interactive t tty privileged help l latest no-session"),
		values:   WordsOf("detach-keys e env env-file u user w workdir cidfile preserve-fd preserve-fds"),
	})
}

func startFlags() containerFlags {
	return podmanAnywhere().and(nerdctlAnywhere(), containerFlags{
		switches: WordsOf("a attach i interactive no-stdin sig-proxy help l latest all"),
		values:   WordsOf("checkpoint checkpoint-dir detach-keys f filter"),
	})
}

// composeFlags are those in front of Compose's command. Source: docker compose 2.24 --help.
var composeFlags = sync.OnceValue(func() containerFlags {
	return containerFlags{
		switches: WordsOf("all-resources compatibility dry-run help verbose version v no-ansi"),
		values:   WordsOf("ansi env-file f file parallel profile progress project-directory p project-name workdir"),
	}
})

// composeCommands are the flags of Compose's run and exec.
var composeCommands = sync.OnceValue(func() map[string]containerFlags {
	both := containerFlags{
		switches: WordsOf("d detach dry-run help i interactive t tty T no-TTY no-tty"),
		values:   WordsOf("e env u user w workdir"),
	}
	return map[string]containerFlags{
		"run": both.and(containerFlags{
			switches: WordsOf("build no-deps q quiet quiet-build quiet-pull remove-orphans rm P service-ports use-aliases"),
			values:   WordsOf("cap-add cap-drop entrypoint env-from-file l label name p publish pull v volume"),
		}),
		"exec": both.and(containerFlags{switches: WordsOf("privileged"), values: WordsOf("index")}),
	}
})

func (f containerFlags) and(others ...containerFlags) containerFlags {
	for _, other := range others {
		f.switches = union(f.switches, other.switches)
		f.values = union(f.values, other.values)
	}
	return f
}

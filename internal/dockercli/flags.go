package dockercli

// arity tells how many arguments a flag takes. The zero value is a flag that
// is in no table.
type arity uint8

const (
	unknownFlag arity = iota
	switchFlag        // takes none; a value only as --flag=value
	valueFlag         // takes one, as --flag=value or as the next argument
)

// dockerGlobal are docker's flags before the command (docker 28 --help).
func dockerGlobal(flag string) arity {
	switch flag {
	case "D", "debug", "tls", "tlsverify", "v", "version", "help":
		return switchFlag
	case "c", "context", "H", "host", "config", "l", "log-level",
		"tlscacert", "tlscert", "tlskey":
		return valueFlag
	}
	return unknownFlag
}

// podmanGlobal are podman's flags before the command (podman(1)).
func podmanGlobal(flag string) arity {
	switch flag {
	case "r", "remote", "syslog", "noout", "transient-store", "trace",
		"v", "version", "help":
		return switchFlag
	case "c":
		return valueFlag
	}
	return podmanPersistent(flag)
}

// podmanPersistent are those of podman's global flags that may also stand
// behind the command.
func podmanPersistent(flag string) arity {
	switch flag {
	case "cdi-spec-dir", "cgroup-manager", "config", "conmon", "connection",
		"cpu-profile", "db-backend", "events-backend", "hooks-dir",
		"identity", "imagestore", "log-level", "memory-profile", "module",
		"namespace", "network-cmd-path", "network-config-dir", "out",
		"pull-option", "registries-conf", "root", "runroot", "runtime",
		"runtime-flag", "ssh", "storage-driver", "storage-opt", "tls-ca",
		"tls-cert", "tls-key", "tmpdir", "url", "volumepath":
		return valueFlag
	case "remote", "syslog", "transient-store":
		return switchFlag
	}
	return unknownFlag
}

// nerdctlGlobal are nerdctl's and finch's flags before the command
// (containerd/nerdctl docs/command-reference.md).
func nerdctlGlobal(flag string) arity {
	switch flag {
	case "v", "version", "help", "h":
		return switchFlag
	case "a", "H", "n":
		return valueFlag
	}
	return nerdctlPersistent(flag)
}

// nerdctlPersistent are those that may also stand behind the command.
func nerdctlPersistent(flag string) arity {
	switch flag {
	case "debug", "debug-full", "experimental", "insecure-registry", "kube-hide-dupe":
		return switchFlag
	case "address", "bridge-ip", "cdi-spec-dirs", "cgroup-manager",
		"cni-netconfpath", "cni-path", "data-root", "global-dns",
		"global-dns-opts", "global-dns-search", "host", "host-gateway-ip",
		"hosts-dir", "log-level", "namespace", "snapshotter",
		"storage-driver", "userns-remap":
		return valueFlag
	}
	return unknownFlag
}

// createFlag are the flags of run and create.
func createFlag(flag string) arity {
	for _, table := range []func(string) arity{createSwitch, createValue, createShort, podmanPersistent, nerdctlPersistent} {
		if a := table(flag); a != unknownFlag {
			return a
		}
	}
	return unknownFlag
}

func createShort(flag string) arity {
	switch flag {
	case "d", "i", "t", "P", "q":
		return switchFlag
	case "a", "c", "e", "h", "l", "m", "p", "u", "v", "w":
		return valueFlag
	}
	return unknownFlag
}

func createSwitch(flag string) arity {
	switch flag {
	case // docker
		"detach", "disable-content-trust", "help", "init", "interactive",
		"no-healthcheck", "oom-kill-disable", "privileged", "publish-all",
		"quiet", "read-only", "rm", "sig-proxy", "tty", "use-api-socket",
		// podman
		"env-host", "http-proxy", "no-hostname", "no-hosts", "passwd",
		"read-only-tmpfs", "replace", "rmi", "rootfs", "tls-verify",
		"unsetenv-all":
		return switchFlag
	}
	return unknownFlag
}

func createValue(flag string) arity {
	switch flag {
	case // docker
		"add-host", "annotation", "attach", "blkio-weight",
		"blkio-weight-device", "cap-add", "cap-drop", "cgroup-parent",
		"cgroupns", "cidfile", "cpu-count", "cpu-percent", "cpu-period",
		"cpu-quota", "cpu-rt-period", "cpu-rt-runtime", "cpu-shares", "cpus",
		"cpuset-cpus", "cpuset-mems", "detach-keys", "device",
		"device-cgroup-rule", "device-read-bps", "device-read-iops",
		"device-write-bps", "device-write-iops", "dns", "dns-opt",
		"dns-option", "dns-search", "domainname", "entrypoint", "env",
		"env-file", "expose", "gpus", "group-add", "health-cmd",
		"health-interval", "health-retries", "health-start-interval",
		"health-start-period", "health-timeout", "hostname",
		"io-maxbandwidth", "io-maxiops", "ip", "ip6", "ipc", "isolation",
		"kernel-memory", "label", "label-file", "link", "link-local-ip",
		"log-driver", "log-opt", "mac-address", "memory",
		"memory-reservation", "memory-swap", "memory-swappiness", "mount",
		"name", "net", "net-alias", "network", "network-alias",
		"oom-score-adj", "pid", "pids-limit", "platform", "publish", "pull",
		"restart", "runtime", "security-opt", "shm-size", "stop-signal",
		"stop-timeout", "storage-opt", "sysctl", "tmpfs", "ulimit", "user",
		"userns", "uts", "volume", "volume-driver", "volumes-from", "workdir",
		// podman
		"arch", "authfile", "cert-dir", "cgroup-conf", "cgroups",
		"chrootdirs", "conmon-pidfile", "creds", "decryption-key",
		"env-merge", "gidmap", "group-entry", "health-log-destination",
		"health-max-log-count", "health-max-log-size", "health-on-failure",
		"health-startup-cmd", "health-startup-interval",
		"health-startup-retries", "health-startup-success",
		"health-startup-timeout", "hosts-file", "hostuser", "image-volume",
		"init-ctr", "init-path", "intel-rdt-closid", "os", "passwd-entry",
		"personality", "pidfile", "pod", "pod-id-file", "preserve-fd",
		"preserve-fds", "requires", "retry", "retry-delay", "sdnotify",
		"seccomp-policy", "secret", "shm-size-systemd", "signature-policy",
		"subgidname", "subuidname", "systemd", "timeout", "tz", "uidmap",
		"umask", "unsetenv", "variant",
		// nerdctl
		"cosign-certificate-identity", "cosign-certificate-identity-regexp",
		"cosign-certificate-oidc-issuer",
		"cosign-certificate-oidc-issuer-regexp", "cosign-key", "init-binary",
		"ipfs-address", "rdt-class", "verify":
		return valueFlag
	}
	return unknownFlag
}

// execFlag are the flags of exec; -l is podman's --latest here, not a label.
func execFlag(flag string) arity {
	switch flag {
	case "d", "detach", "i", "interactive", "t", "tty", "privileged", "help",
		"l", "latest", "no-session":
		return switchFlag
	case "detach-keys", "e", "env", "env-file", "u", "user", "w", "workdir",
		"cidfile", "preserve-fd", "preserve-fds":
		return valueFlag
	}
	return persistentFlag(flag)
}

// startFlag are the flags of start and attach.
func startFlag(flag string) arity {
	switch flag {
	case "a", "attach", "i", "interactive", "no-stdin", "sig-proxy", "help",
		"l", "latest", "all":
		return switchFlag
	case "checkpoint", "checkpoint-dir", "detach-keys", "f", "filter":
		return valueFlag
	}
	return persistentFlag(flag)
}

func persistentFlag(flag string) arity {
	if a := podmanPersistent(flag); a != unknownFlag {
		return a
	}
	return nerdctlPersistent(flag)
}

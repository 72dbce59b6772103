# What takes too long for `make test`.

.PHONY: soak

# Ten thousand sweeps, the daemon for minutes, and what it costs when idle.
soak:
	@REAPERD_SOAK=full $(GO) test -count=1 -v -parallel 1 -timeout 60m ./test/daemon/soak

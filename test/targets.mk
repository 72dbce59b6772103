.PHONY: bench-scenarios

# The published leaks, swept by reaperd and by the scripts that people run from
# cron against them. Needs root on Linux, and dockerd for the containers.
bench-scenarios:
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && mkdir "$$folder/rows" && \
	$(GO) test -c -o "$$folder/scenarios.test" ./test/reports/bench && \
	REAPERD_BENCH_RESULTS="$$folder/rows" "$$folder/scenarios.test" -test.parallel 1 -test.timeout 20m

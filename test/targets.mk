.PHONY: bench-scenarios simulate test-exec test-page test-page-quickly vet-page screenshots

# The published leaks, swept by reaperd and by the scripts that people run from
# cron against them. Needs root on Linux, and dockerd for the containers.
bench-scenarios:
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && mkdir "$$folder/rows" && \
	$(GO) test -c -o "$$folder/scenarios.test" ./test/leaks/bench && \
	REAPERD_BENCH_RESULTS="$$folder/rows" "$$folder/scenarios.test" -test.parallel 1 -test.timeout 20m

# reaperd exec, with a hundred kills of each kind where `make test` has a few, and
# what it costs beside the same servers without it.
test-exec:
	@REAPERD_EXEC=full hack/test.sh -count=1 -v -timeout 60m ./test/exec ./test/npm

# The page in headless Chromium: a module of its own, so `go test ./...` does not see
# it; `make test` compiles it and runs the quick part. What is missing here is left out,
# in one line each; with REAPERD_TEST_REQUIRE=chromium it is a failure.
test-page: build vet-page
	@cd test/page && REAPERD_BIN="$(CURDIR)/bin/reaperd" $(GO) test -count=1 -v -timeout 15m . ./live </dev/null

test: test-page-quickly
vet-page:
	@cd test/page && $(GO) vet ./...

# What takes seconds: nothing that axe-core finds, no command line that acts, a look that
# shows without a reload.
test-page-quickly: vet-page
	@cd test/page && $(GO) test -count=1 -timeout 5m \
		-run '^(TestAxeFindsNothingSerious|TestAHostileCommandLineIsInert|TestALookShowsWithoutAReload)$$' . </dev/null

# The pictures of the documentation, into docs/images: of the terminal, then of the page.
screenshots: build
	@REAPERD_BIN="$(CURDIR)/bin/reaperd" GO="$(GO)" hack/shots.sh
	@REAPERD_BIN="$(CURDIR)/bin/reaperd" GO="$(GO)" hack/screenshots.sh

# Histories of worlds whose truth is known: WORLDS of them from SEED on, of one MANNER or of
# all. What came of each manner is printed; what fails is shrunk and saved below OUT.
WORLDS ?= 20000
SEED ?= 20000
MANNER ?=
OUT ?=
simulate:
	@REAPERD_SIMULATE_WORLDS=$(WORLDS) REAPERD_SIMULATE_SEED=$(SEED) REAPERD_SIMULATE_MANNER="$(MANNER)" REAPERD_SIMULATE_OUT=$(OUT) \
	$(GO) test ./test/simulate -run TestHistories -v -count=1 -timeout 4h

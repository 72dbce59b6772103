# Everything the project is built and checked with. `make help` lists it.

PREFIX ?= /usr/local
GO ?= go
STATICCHECK_VERSION = v0.8.2
VERSION = $$(git describe --tags --always --dirty 2>/dev/null)
REVISION = $$(git rev-parse HEAD 2>/dev/null)
NEEDED = $(shell awk '$$1 == "go" { print $$2 }' go.mod)
FLAGS = -trimpath -ldflags "-s -w -X main.linkedVersion=$(VERSION) -X main.linkedRevision=$(REVISION)"
PLATFORMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 freebsd/amd64

.PHONY: help compiler said build run test bench lint cross pages install uninstall clean

help:
	@echo "make build    bin/reaperd, static"
	@echo "make run      report what is on this host (builds a reaperd without top; acts on nothing)"
	@echo "make test     all tests; brings up what they need where it may"
	@echo "make bench    what a scan and the whole daemon cost (root; about 5 minutes)"
	@echo "make lint     gofmt, go vet, staticcheck"
	@echo "make cross    bin/reaperd-OS-ARCH for Linux, macOS and FreeBSD"
	@echo "make install  program, man pages and completions below $(PREFIX); make uninstall takes them away"
	@echo "make clean    remove bin"
	@echo
	@echo "make image    an image of this tree, without pulling anything"
	@echo "make dist     deb and rpm of this architecture"
	@echo "make soak     ten thousand sweeps, and what the daemon costs (a quarter of an hour)"
	@echo "make simulate    more random worlds than the tests: WORLDS=20000 SEED=20000 MANNER=\"hidden ends\""
	@echo "make bench-scenarios    the published leaks: reaperd against the scripts from cron"
	@echo "make test-exec      reaperd exec: a hundred kills of each kind, and what it costs"
	@echo "make test-page      the page in headless Chromium (half a minute)"
	@echo "make test-deploy        deploy/ for real: packages, compose, alerts"
	@echo "make test-kubernetes    the DaemonSet in a Kubernetes of one node"

# compiler says which Go is needed where there is none, or one that is too old and
# may not fetch a newer one itself.
compiler:
	@command -v $(GO) >/dev/null || { echo "reaperd is compiled with Go $(NEEDED) or newer, and there is no $(GO) here: install it, or name it with GO=" >&2; exit 1; }
	@found=$$($(GO) env GOVERSION 2>/dev/null) && \
		test "$$(printf '%s\n' "go$(NEEDED)" "$$found" | sort -V | head -n 1)" = "go$(NEEDED)" || \
		{ echo "reaperd is compiled with Go $(NEEDED) or newer, and this is $$(cd / && $(GO) version)" >&2; exit 1; }

build: compiler
	@CGO_ENABLED=0 $(GO) build $(FLAGS) -o bin/reaperd ./cmd/reaperd

# run builds a program without top, whose library of the terminal would be a quarter
# of what a first look at reaperd downloads. -v names each package while it is compiled.
run: said
	@CGO_ENABLED=0 $(GO) build -v -tags notop $(FLAGS) -o bin/run/reaperd ./cmd/reaperd
	@bin/run/reaperd scan --dry-run

said: compiler
	@test -e bin/run/reaperd || echo "compiling bin/run/reaperd; the first time this downloads some 22 MB and takes some minutes" >&2

test:
	@GO="$(GO)" hack/test.sh

bench:
	@$(GO) run ./test/cost $(if $(OUT),-o $(OUT))

lint:
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "not formatted (gofmt -w):"; echo "$$unformatted"; exit 1; }
	@$(GO) vet ./...
	@$(GO) vet -tags notop ./cmd/reaperd
	@$(GO) run honnef.co/go/tools/cmd/staticcheck@$(STATICCHECK_VERSION) ./...

cross:
	@for platform in $(PLATFORMS); do \
		os=$${platform%/*}; arch=$${platform#*/}; \
		echo "bin/reaperd-$$os-$$arch"; \
		CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch $(GO) build $(FLAGS) -o bin/reaperd-$$os-$$arch ./cmd/reaperd || exit 1; \
	done

SHARE = $(DESTDIR)$(PREFIX)/share

# Man pages and completions, into bin/stage.
pages: build
	@deploy/packages/stage.sh bin/stage bin/reaperd

install: build pages
	@mkdir -p "$(DESTDIR)$(PREFIX)/bin" "$(SHARE)/man/man1" "$(SHARE)/bash-completion/completions" \
		"$(SHARE)/zsh/site-functions" "$(SHARE)/fish/vendor_completions.d" "$(SHARE)/doc/reaperd"
	@install -m 755 bin/reaperd "$(DESTDIR)$(PREFIX)/bin/reaperd"
	@install -m 644 bin/stage/man/*.1.gz "$(SHARE)/man/man1/"
	@install -m 644 bin/stage/completions/reaperd.bash "$(SHARE)/bash-completion/completions/reaperd"
	@install -m 644 bin/stage/completions/_reaperd "$(SHARE)/zsh/site-functions/_reaperd"
	@install -m 644 bin/stage/completions/reaperd.fish "$(SHARE)/fish/vendor_completions.d/reaperd.fish"
	@install -m 644 policies.yaml LICENSE "$(SHARE)/doc/reaperd/"

# What install wrote. The service is its own: `reaperd uninstall` before this.
uninstall:
	@rm -f "$(DESTDIR)$(PREFIX)/bin/reaperd" "$(SHARE)"/man/man1/reaperd.1.gz "$(SHARE)"/man/man1/reaperd-*.1.gz \
		"$(SHARE)/bash-completion/completions/reaperd" "$(SHARE)/zsh/site-functions/_reaperd" \
		"$(SHARE)/fish/vendor_completions.d/reaperd.fish" "$(SHARE)/doc/reaperd/policies.yaml" "$(SHARE)/doc/reaperd/LICENSE"
	@test ! -d "$(SHARE)/doc/reaperd" || rmdir "$(SHARE)/doc/reaperd"

clean:
	@rm -rf bin

include deploy/targets.mk
include test/targets.mk test/daemon/targets.mk

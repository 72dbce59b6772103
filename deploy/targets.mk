# What deploy/ is built and checked with; included by the Makefile.

.PHONY: image dist test-manifests test-deploy test-kubernetes

IMAGE ?= reaperd:latest

# The image, from a program built here; pulls nothing.
image:
	@GO="$(GO)" deploy/image/build.sh "$(IMAGE)"

# The deb and rpm of this architecture, into dist.
dist:
	@GO="$(GO)" deploy/packages/build.sh dist

# Kubernetes' own types refuse a wrong key. It is a Go module of its own, so
# `go test ./...` does not see it; and the files lie outside of it, so that a
# cached result would say nothing of them.
test: test-manifests
test-manifests:
	@echo "testing the Kubernetes manifests; the first time this compiles Kubernetes' types, which takes minutes" >&2
	@cd deploy/kubernetes/check && $(GO) vet ./... && $(GO) test -count=1 ./... </dev/null

# What needs root, an engine, a root file system or minutes. What is missing here
# is left out, in one line each.
test-deploy: test-manifests
	@REAPERD_TEST_DEPLOY=1 $(GO) test -v -count=1 -timeout 30m ./deploy/ </dev/null

# A one-node Kubernetes of this machine's own, and the DaemonSet in it.
test-kubernetes:
	@GO="$(GO)" hack/kubernetes.sh

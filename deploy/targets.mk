# What deploy/ is built and checked with; included by the Makefile.

.PHONY: image dist test-deploy test-kubernetes

IMAGE ?= reaperd:latest

# The image, from a program built here; pulls nothing.
image:
	@GO="$(GO)" deploy/image/build.sh "$(IMAGE)"

# The deb and rpm of this architecture, into dist.
dist:
	@GO="$(GO)" deploy/packages/build.sh dist

# What needs root, an engine, a root file system or minutes. What is missing here
# is left out, in one line each.
test-deploy:
	@REAPERD_TEST_DEPLOY=1 $(GO) test -v -count=1 -timeout 30m ./deploy/ </dev/null
	@cd deploy/kubernetes/check && $(GO) test -count=1 ./... </dev/null

# A one-node Kubernetes of this machine's own, and the DaemonSet in it.
test-kubernetes:
	@GO="$(GO)" hack/kubernetes.sh

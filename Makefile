# Curfew needs Go and make, and gcc for the race detector. Everything else, from
# the linter to the Kubernetes API server of the tests, is built from Go modules.
#
#   make demo     see it work (KEEP=1 leaves the cluster up to play with)
#   make test     everything that must hold before a change goes in
#   make help     the rest

GO ?= go
LINT_VERSION := v2.15.0
LINT := $(CURDIR)/bin/golangci-lint-$(LINT_VERSION)
FUZZTIME ?= 30s
SOAKTIME ?= 30m
IMAGE ?= curfew:latest
CONTAINER_TOOL ?= docker

# The end-to-end tests and the demo start a cluster of their own. They must not
# run on whatever KUBECONFIG happens to be set to, so it takes another name to
# point the tests at an existing one.
E2E_KUBECONFIG ?=
export KUBECONFIG := $(E2E_KUBECONFIG)

# The Kubernetes of that cluster: 1.37, or 1.36, which is compiled apart.
KUBERNETES ?= 1.37
export CURFEW_KUBERNETES := $(KUBERNETES)

# Compiler flags are part of the build cache's key, and the e2e module compiles
# all of Kubernetes. So build, vet, lint and test get the same ones, and what one
# has compiled the others find. (-dwarf=false: nobody debugs that build, and it is
# quicker and smaller without.) The version is stamped below, not taken from git.
export GOFLAGS := $(strip $(GOFLAGS) -buildvcs=false -gcflags=all=-dwarf=false)

# What --version says. Without a tag it is v0.0.0 and the commit.
COMMIT := $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
VERSION ?= $(shell git describe --tags --match 'v*' --dirty 2>/dev/null || echo v0.0.0-g$$(git describe --always --dirty 2>/dev/null || echo unknown))
STAMP := k8s.io/component-base/version
LDFLAGS := -s -w -X $(STAMP).gitVersion=$(VERSION) -X $(STAMP).gitCommit=$(COMMIT)

# One thing after the other, also under make -j: the output is read from top to
# bottom, and the e2e tests measure time.
.NOTPARALLEL:

.PHONY: help
help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1\t\2/' | expand -t 12

.PHONY: demo
demo: ## Watch Curfew at work on a real API server (KEEP=1 leaves it up)
	@cd e2e && KEEP=$(KEEP) $(GO) run ./cmd/demo

.PHONY: test
test: format vet lint unit e2e ## Format, vet, lint, unit tests with -race, fuzz seeds, e2e

.PHONY: build
build: ## Build curfew and kubectl-curfew into bin/, with what completes its words
	CGO_ENABLED=0 $(GO) build -ldflags '$(LDFLAGS)' -o bin/ ./cmd/...
	bin/kubectl-curfew completion > bin/kubectl_complete-curfew && chmod +x bin/kubectl_complete-curfew

.PHONY: format
format: ## Fail if gofmt would change anything
	@echo '--- format'
	@files=$$(gofmt -l .) && test -z "$$files" || { echo "gofmt -w would change:"; echo "$$files"; exit 1; }

.PHONY: vet
vet: ## go vet, every module
	@echo '--- vet'
	$(GO) vet ./...
	@echo '--- vet e2e (this compiles Kubernetes: minutes the first time, seconds after)'
	cd e2e && GOGC=400 $(GO) vet ./...
	cd e2e/monitoring && $(GO) vet ./...
	cd e2e/helm && $(GO) vet ./...

.PHONY: lint
lint: $(LINT) ## golangci-lint, every module
	@echo '--- lint'
	$(LINT) run ./...
	cd e2e && $(LINT) run ./...
	cd e2e/monitoring && $(LINT) run ./...
	cd e2e/helm && $(LINT) run ./...

$(LINT):
	@echo '--- building golangci-lint $(LINT_VERSION) (minutes, once)'
	GOBIN=$(CURDIR)/bin $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)
	mv bin/golangci-lint $@

.PHONY: unit
unit: ## Unit tests with the race detector, and the fuzz targets' seeds
	@echo '--- unit'
	CGO_ENABLED=1 $(GO) test -race -shuffle=on -count=1 ./...

.PHONY: e2e
e2e: ## The alerts by Prometheus, the chart by Helm, and the built binaries against a real API server
	@echo '--- e2e'
	cd e2e/monitoring && $(GO) test -count=1 ./...
	cd e2e/helm && $(GO) test -count=1 -timeout 20m ./...
	cd e2e && $(GO) test -count=1 -timeout 20m . # alone, for it keeps both cores busy and measures time
	cd e2e && $(GO) test -count=1 -timeout 20m $$($(GO) list ./... | grep -vx curfew/e2e)

.PHONY: faults
faults: ## Break everything around Curfew, one thing at a time (ten minutes; a short form is in e2e)
	@echo '--- faults'
	cd e2e && CURFEW_LONG=1 $(GO) test -count=1 -timeout 30m -v ./faults

.PHONY: browser
browser: ## Install Chromium, in which the timeline is tested, where there is apt and none yet
	@command -v chromium chromium-browser google-chrome >/dev/null || { \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core; }

.PHONY: docs
docs: ## Write docs/kubectl-curfew anew from the commands' help
	$(GO) test -run '^TestDocs$$' ./cmd/kubectl-curfew -update

.PHONY: manifests
manifests: ## Make the plain manifests and the table of values from deploy/chart anew
	cd e2e/helm && $(GO) test -count=1 -run '^(TestCopies|TestManifests|TestGolden|TestValuesTable)$$' . -update

.PHONY: fuzz
fuzz: ## Fuzz every target for FUZZTIME (30s)
	@set -e; for package in $$($(GO) list ./...); do \
	  for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
	    $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s $$package; \
	  done; \
	done

.PHONY: soak
soak: ## Keep Curfew busy under random faults for SOAKTIME (30m), with the race detector
	cd e2e && CURFEW_SOAK=$(SOAKTIME) $(GO) test -count=1 -v -timeout 12h ./soak

.PHONY: bench
bench: ## Benchmarks, and Curfew at scale on a real API server (BENCH="--objects=1000 --quick")
	$(GO) test -run '^$$' -bench . -benchmem ./...
	cd e2e && $(GO) run ./cmd/bench $(BENCH)

.PHONY: clean
clean: ## Remove bin/ and dist/
	rm -rf bin dist

include release.mk
